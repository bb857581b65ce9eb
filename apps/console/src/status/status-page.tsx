import type { RestClient } from '#libs/serve/client/rest-client.js';
import type { Meta } from '#libs/serve/contract/rest/meta.js';
import type { ChainStatus, NodeStatus, StatusBody, TopicStatus } from '#libs/serve/contract/rest/status-body.js';
import { heights, heightWords } from '../format/heights.js';
import { bytes, shortId, UNKNOWN, whole } from '../format/numbers.js';
import { ago, fullTime, longSpan } from '../format/times.js';
import { now } from '../state/clock.js';
import { usePolled } from '../state/poll.js';
import { Card } from '../ui/card.js';
import { Figure } from '../ui/figure.js';
import { usePageTitle } from '../ui/page-title.js';
import { Problem } from '../ui/problem.js';
import { TableHead } from '../ui/table-head.js';
import { Trouble } from '../ui/trouble.js';
import { BuildingLine } from './building-line.js';
import { ChainSentence } from './chain-sentence.js';
import { ageOf, proofSentence, stateWord } from './chain-words.js';

const REFRESH_MS = 2_000;

export function StatusPage({ rest }: { rest: RestClient }) {
  const { data, error } = usePolled('status', REFRESH_MS, (signal) => rest.status({ signal }));
  usePageTitle('Status');
  const status = data?.data ?? null;
  return (
    <div class="page status-page">
      <div class="page-head">
        <h1>Status</h1>
        {status !== null && <Program status={status} />}
      </div>
      {status === null && error === null && <div class="loading" role="status" aria-label="Loading the status" />}
      {status === null && error !== null && <Problem error={error} what="The status" />}
      {status !== null && (
        <div class="status-columns">
          <div class="chains">
            {status.chains.map((chain) => (
              <ChainCard key={chain.chain} chain={chain} meta={data?.meta.chains[chain.chain] ?? null} />
            ))}
          </div>
          <Topics topics={status.topics} />
        </div>
      )}
    </div>
  );
}

function Program({ status }: { status: StatusBody }) {
  return (
    <p class="quiet blocks">
      <span>
        version <strong>{status.version}</strong>
      </span>
      <span title={fullTime(status.startedAt)}>up {longSpan(now.value - status.startedAt)}</span>
    </p>
  );
}

function ChainCard({ chain, meta }: { chain: ChainStatus; meta: Meta | null }) {
  const { word, tone } = stateWord[chain.state];
  const { head, reorgs } = chain;
  const last = reorgs.last;
  const { one } = heightWords(chain.chain);
  return (
    <Card
      id={`chain-${chain.chain}`}
      title={chain.name}
      aside={<span class={`badge badge-${tone}`}>{word}</span>}
      data-chain={chain.chain}
      data-state={chain.state}
    >
      <ChainSentence chain={chain} named={false} />
      {meta !== null && <p class="quiet">{proofSentence[meta.proof]}</p>}
      <BuildingLine chain={chain} />
      <Trouble text={chain.trouble} />
      <dl class="figures">
        <Figure
          name={`Newest ${one}`}
          value={whole(head?.block ?? null)}
          note={head === null ? null : shortId(head.hash)}
        />
        <Figure
          name="Behind the nodes"
          value={
            chain.lagBlocks === null ? UNKNOWN : `${whole(chain.lagBlocks)} ${heights(chain.chain, chain.lagBlocks)}`
          }
          note={chain.lagSeconds === null ? null : `block is ${ageOf(chain.lagSeconds)} old`}
        />
        <Figure
          name="Indexed to"
          value={whole(chain.indexed?.block ?? null)}
          note={chain.indexed?.checkpointBlock == null ? null : `checkpoint ${whole(chain.indexed.checkpointBlock)}`}
        />
        <Figure
          name="Finalized"
          value={whole(chain.finalized)}
          note={chain.sealed === null ? null : `sealed ${whole(chain.sealed)}`}
        />
        <Figure
          name="Reorgs seen"
          value={whole(reorgs.count)}
          note={
            reorgs.count === 0 ? 'since the start' : `deepest ${reorgs.deepest} ${heights(chain.chain, reorgs.deepest)}`
          }
        />
        <Figure
          name="Last reorg"
          value={last === null ? 'none' : ago(last.time, now.value)}
          note={
            last === null ? null : `${last.depth} ${heights(chain.chain, last.depth)} from ${whole(last.fromBlock)}`
          }
        />
      </dl>
      {chain.rpc.length > 0 && (
        <>
          <h3>Nodes</h3>
          <ul class="nodes">
            {chain.rpc.map((node) => (
              <Node key={node.name} node={node} />
            ))}
          </ul>
        </>
      )}
    </Card>
  );
}

function Node({ node }: { node: NodeStatus }) {
  return (
    <li class={node.ok ? 'node' : 'node node-bad'}>
      <span class="dot" aria-hidden="true" />
      <span>
        {node.name} <small>{node.transport === 'grpc' ? 'gRPC' : node.transport}</small>
      </span>
      <span class="node-words">
        {node.problem === null ? 'healthy' : node.problem}
        {node.problemAt !== null && node.problem !== null && <small> · {ago(node.problemAt, now.value)}</small>}
      </span>
    </li>
  );
}

function Topics({ topics }: { topics: readonly TopicStatus[] }) {
  const total = topics.reduce(
    (sum, { bytes: size }) => (size === null || sum === null ? null : sum + size),
    0 as number | null,
  );
  return (
    <Card
      id="topics"
      title="Event log"
      aside={
        <span class="quiet">
          {whole(topics.length)} topics{total !== null && `, ${bytes(total)}`}
        </span>
      }
    >
      {topics.length === 0 ? (
        <p class="quiet">No topic yet: the first one is written with the first block.</p>
      ) : (
        <table class="topics">
          <TableHead columns={['Topic', ['Records', 'number'], ['Size', 'number'], ['Seq', 'number topic-seq']]} />
          <tbody>
            {topics.map((topic) => (
              <tr key={topic.name}>
                <th scope="row">
                  <code>{topic.name}</code>
                </th>
                <td class="number">{whole(topic.records)}</td>
                <td class="number">{bytes(topic.bytes)}</td>
                <td class="number topic-seq">
                  {topic.firstSeq === null || topic.lastSeq === null
                    ? UNKNOWN
                    : `${whole(topic.firstSeq)} – ${whole(topic.lastSeq)}`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}
