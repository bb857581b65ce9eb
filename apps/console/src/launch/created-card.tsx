import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { EvmTransaction } from '#libs/serve/contract/rest/evm/swap-body.js';
import type { LaunchCreated } from '#libs/serve/contract/rest/launch/launch-body.js';
import { shortId, whole } from '../format/numbers.js';
import type { Clients } from '../state/clients.js';
import { usePolled } from '../state/poll.js';
import { boardLink, tokenLink } from '../state/route.js';
import type { DemoWallet } from '../swap/demo/demo-wallet.js';
import type { LocalNode } from '../swap/demo/local-node.js';
import { RouterProblem } from '../swap/router-problem.js';
import { shownAmount } from '../swap/units.js';
import { CopyButton } from '../ui/copy-button.js';
import { Figure } from '../ui/figure.js';
import { Trouble } from '../ui/trouble.js';
import type { Coin, LaunchForm } from './launch-form.js';
import type { LaunchBuild } from './launch-form-card.js';
import { LaunchRun, type LaunchRunState } from './launch-run.js';

interface CreatedProps {
  clients: Clients;
  form: LaunchForm;
  build: LaunchBuild;
  coin: Coin;
  node: LocalNode | null;
  wallet: DemoWallet | null;
  /** Of a token of these launchpads. */
  tokenDecimals: number;
}

/** The token as it will be, what it costs, and the next step. */
export function CreatedCard({ clients, form, build, coin, node, wallet, tokenDecimals }: CreatedProps) {
  const card = useRef<HTMLElement>(null);
  const state = build.state.value;
  useEffect(() => card.current?.scrollIntoView({ block: 'nearest' }), [state.name]);
  if (state.name === 'none') return null;
  return (
    <section ref={card} class="card build-card" aria-labelledby="launch-title" data-launch={state.name}>
      <header>
        <h2 id="launch-title">Preview</h2>
      </header>
      {state.name === 'building' && <div class="loading" role="status" aria-label="Building and simulating" />}
      {state.name === 'refused' && <RouterProblem error={state.error} />}
      {state.name === 'built' && (
        <Created
          key={state.answer.address}
          {...{ clients, form, coin, node, wallet, tokenDecimals }}
          created={state.answer}
        />
      )}
    </section>
  );
}

function Created(props: Omit<CreatedProps, 'build'> & { created: LaunchCreated }) {
  const { clients, form, coin, node, wallet, tokenDecimals, created } = props;
  const run = useSignal<LaunchRun | null>(null);
  useEffect(() => () => run.peek()?.stop(), [run]);
  const { buy, cost, address, simulation } = created;
  const { name, symbol } = form.texts.value;
  const coins = (units: string): string => `${shownAmount(BigInt(units), coin.decimals)} ${coin.symbol}`;
  const mine = node !== null && wallet !== null && created.signers[0]?.address === wallet.address;
  const state = run.value?.state.value ?? null;
  const sign = (): void => {
    if (node === null || wallet === null) return;
    const started = new LaunchRun({ node, wallet, transaction: created.transactions[0] as EvmTransaction });
    run.value = started;
    void started.run();
  };
  return (
    <>
      <p class="launch-token" data-launched={address}>
        <strong>{name.trim()}</strong> <span class="quiet">{symbol.trim()}</span>{' '}
        <code title={address}>{shortId(address)}</code>
        <CopyButton text={address} what="the address" />
      </p>
      <dl class="figures">
        <Figure name="Cost of all" value={coins(cost.total)} note={`${coins(cost.networkFee)} of it fees at most`} />
        {cost.rent !== '0' && <Figure name="Deposits" value={coins(cost.rent)} />}
        {buy !== null && (
          <Figure
            name="First buy"
            value={`${shownAmount(BigInt(buy.outAmount), tokenDecimals)} ${symbol.trim()}`}
            note={`for ${coins(buy.inAmount)}`}
          />
        )}
        <Figure name="Simulated on" value={whole(Number(simulation.block))} />
      </dl>
      {created.warnings.includes('image_not_checked') && (
        <p class="trouble" role="status">
          The server of the picture did not answer: the token may show none.
        </p>
      )}
      <p class="quiet">
        <a href={created.metadataUri} rel="noreferrer" target="_blank">
          Its metadata
        </a>{' '}
        are kept for ever.
      </p>
      {state !== null && <Landing state={state} clients={clients} created={created} />}
      {!mine && (
        <p class="own-wallet">
          Sign with {created.signers.map((signer) => shortId(signer.address)).join(' and ')}, and send it from your own
          node. <CopyButton text={JSON.stringify(created, null, 2)} what="the transactions and who signs as JSON" />
        </p>
      )}
      {mine && state === null && (
        <div class="build-actions">
          <button type="button" class="primary" onClick={sign}>
            Sign with the demo wallet
          </button>
        </div>
      )}
    </>
  );
}

const BOARD_MS = 500;

function Landing(props: { state: LaunchRunState; clients: Clients; created: LaunchCreated }) {
  const { state, clients, created } = props;
  if (state.name === 'failed') return <Trouble text={state.trouble} />;
  if (state.name === 'running') {
    return (
      <p class="quiet" role="status">
        The local chain takes it into one of its next blocks.
      </p>
    );
  }
  return <Landed clients={clients} created={created} block={state.block} hash={state.hash} />;
}

/** It is on the board with its block. */
function Landed(props: { clients: Clients; created: LaunchCreated; block: number; hash: string }) {
  const { clients, created, block, hash } = props;
  const { data } = usePolled('new launches', BOARD_MS, (signal) =>
    clients.rest.call('getLaunchpadBoard', { path: { board: 'new' }, query: { limit: 50 } }, { signal }),
  );
  const listed = data?.data.some(({ address }) => address.toLowerCase() === created.address.toLowerCase()) === true;
  return (
    <div class="outcome" role="status" data-landed={block} data-hash={hash} data-listed={listed}>
      <p class="outcome-line">
        Created in block {whole(block)}: <a href={tokenLink(created.chain, created.address)}>the token</a>
        {listed && (
          <>
            , now on the board <a href={boardLink('new')}>New</a>
          </>
        )}
        .
      </p>
    </div>
  );
}
