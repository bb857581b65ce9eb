import { randomInt } from 'node:crypto';
import type { NodePools } from '#libs/chain/chains/rpc/node-pools.js';
import type { RpcError } from '#libs/chain/chains/rpc/rpc-error.js';
import { solanaIds } from '#libs/chain/chains/solana/ids.js';
import type { SolanaEndpoint } from '#libs/chain/chains/solana/rpc/endpoint.js';
import { SolanaPool } from '#libs/chain/chains/solana/rpc/node-pool.js';
import { isWritable, type WireTransaction } from '#libs/chain/chains/solana/wire-transaction.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import { badRequest, HttpProblem } from '#libs/serve/http/problem.js';
import { ChainNodes, NODE_DEADLINE_MS } from '../nodes/chain-nodes.js';
import { readBlockhash } from '../solana/swap/chain-reads.js';
import { MOST_OF_A_BUNDLE } from './read-bundle.js';
import type { TipSponsor } from './tip-sponsor.js';

export interface RelayTarget {
  /** Where bundles go: JSON-RPC as Jito's block engine has it. */
  readonly upstream: string;
  /** Nodes of the chain, for a blockhash. */
  readonly rpcUrls: readonly string[];
  /** null: no tips are paid. */
  readonly sponsor: TipSponsor | null;
}

const TIP_ACCOUNTS_MS = 600_000;
/** Errors after which another try may succeed. */
const OF_THE_MOMENT: ReadonlySet<RpcError['kind']> = new Set(['rate-limited', 'transport', 'unanswered', 'invalid']);

/**
 * Passes bundles on to a block engine. Invariant: what the caller signed is passed on as it is and in its order; a bundle that
 * writes to no tip account gets one more transaction at its end, by which the relay's own key pays the tip.
 */
export class BundleRelay {
  /** Why there is no target, as a sentence. */
  absence = 'no block engine is configured (TIDEPOOL_RELAY_UPSTREAM)';
  private opened: {
    engine: ChainNodes<SolanaEndpoint>;
    nodes: ChainNodes<SolanaEndpoint>;
    target: RelayTarget;
  } | null = null;
  private tips: { accounts: readonly string[]; until: number } | null = null;
  private closed = false;

  constructor(
    private readonly chain: string,
    private readonly tipLamports: number,
    private readonly logger: Pick<HttpLogger, 'warn'>,
    private readonly nodePools: NodePools,
  ) {}

  open(target: RelayTarget): void {
    if (this.closed || this.opened !== null) return;
    const open = (urls: readonly string[], nodePools: NodePools | null) =>
      new ChainNodes<SolanaEndpoint>({
        ...{ chain: this.chain, urls, logger: this.logger, nodePools },
        open: (options) => new SolanaPool(options),
      });
    this.opened = { engine: open([target.upstream], null), nodes: open(target.rpcUrls, this.nodePools), target };
  }

  /** Id of the bundle at the block engine. */
  async send(bundle: readonly WireTransaction[], signal?: AbortSignal): Promise<string> {
    const { opened } = this;
    if (opened === null) throw notReady(this.absence);
    const accounts = await this.tipAccounts(opened.engine, signal);
    const wires = bundle.map(({ wire }) => wire);
    if (!bundle.some((transaction) => paysTip(transaction, accounts)))
      wires.push(await this.tip(bundle, accounts, signal));
    const texts = wires.map((wire) => Buffer.from(wire).toString('base64'));
    const answer = await opened.engine.use(
      async (endpoint, within) => {
        const call = { method: 'sendBundle', params: [texts, { encoding: 'base64' }] };
        const [found] = await endpoint.batch([call], within);
        if (found!.error && OF_THE_MOMENT.has(found!.error.kind)) throw found!.error;
        return found!;
      },
      NODE_DEADLINE_MS,
      signal,
    );
    if (answer.error) {
      throw new HttpProblem(400, 'bundle_refused', `the block engine refused the bundle: ${answer.error.message}`);
    }
    if (typeof answer.result !== 'string' || answer.result === '') {
      throw new HttpProblem(503, 'upstream_unavailable', 'the block engine gave no id: send the bundle again');
    }
    return answer.result;
  }

  /** One of the accounts that take tips. */
  async tipAccount(signal?: AbortSignal): Promise<string> {
    if (this.opened === null) throw notReady(this.absence);
    const accounts = await this.tipAccounts(this.opened.engine, signal);
    return accounts[randomInt(accounts.length)]!;
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([this.opened?.engine.close(), this.opened?.nodes.close()]);
  }

  private async tip(
    bundle: readonly WireTransaction[],
    accounts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array> {
    const { nodes, target } = this.opened!;
    if (bundle.length === MOST_OF_A_BUNDLE) {
      throw badRequest(`transactions: none pays a tip, and there may be at most ${MOST_OF_A_BUNDLE - 1} without a tip`);
    }
    if (target.sponsor === null) {
      throw notReady('no transaction pays a tip, and this relay pays none (TIDEPOOL_RELAY_TIP_KEY_FILE)');
    }
    const { blockhash } = await nodes.use(
      (endpoint, within) => readBlockhash(endpoint, within),
      NODE_DEADLINE_MS,
      signal,
    );
    return target.sponsor.transfer(accounts[randomInt(accounts.length)]!, this.tipLamports, blockhash);
  }

  /** The accounts that take tips change rarely. */
  private async tipAccounts(
    engine: ChainNodes<SolanaEndpoint>,
    signal: AbortSignal | undefined,
  ): Promise<readonly string[]> {
    if (this.tips !== null && performance.now() < this.tips.until) return this.tips.accounts;
    const accounts = await engine.use(
      async (endpoint, within) => {
        const list = await endpoint.call<unknown>('getTipAccounts', [], within);
        const known = Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
        const right = known.filter((address) => solanaIds.parseAddress(address) !== null);
        if (right.length === 0) throw endpoint.error('invalid', 'no accounts that take tips');
        return right;
      },
      NODE_DEADLINE_MS,
      signal,
    );
    this.tips = { accounts, until: performance.now() + TIP_ACCOUNTS_MS };
    return accounts;
  }
}

/** Whether the transaction may write to an account that takes tips: by its own transfer, or by a program that pays one. */
const paysTip = (transaction: WireTransaction, accounts: readonly string[]): boolean =>
  transaction.keys.some((key, index) => accounts.includes(key) && isWritable(transaction, index));

const notReady = (message: string): HttpProblem => new HttpProblem(503, 'not_ready', message, { 'retry-after': '2' });
