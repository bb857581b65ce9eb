import type { RestClient } from '#libs/serve/client/rest-client.js';
import { usePolled } from '../state/poll.js';
import { ChainSentence } from '../status/chain-sentence.js';
import { Notice } from '../ui/notice.js';

/** Nothing to list yet: what the chains are doing meanwhile. */
export function NoTokens({ rest }: { rest: RestClient }) {
  const { data } = usePolled('status', 2_000, (signal) => rest.status({ signal }));
  return (
    <>
      <Notice title="No token yet" tone="waiting">
        A token appears with the first block that trades it. This page continues by itself.
      </Notice>
      {data?.data.chains.map((chain) => (
        <ChainSentence key={chain.chain} chain={chain} />
      ))}
    </>
  );
}
