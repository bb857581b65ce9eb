import { jsonText } from '#libs/core/exact-json.js';
import type { SolanaChain } from './chain.js';
import { allKeys, type Block, COMMITMENTS, type Commitment } from './chain-types.js';
import { type Filter, filterOf } from './rpc-accounts.js';
import { API_VERSION } from './rpc-context.js';
import { invalidParams, methodNotFound, SolanaRpcError } from './rpc-errors.js';
import {
  addressAt,
  asAddress,
  asSignature,
  commitmentOf,
  configAt,
  flag,
  listAt,
  type Params,
  settledCommitment,
} from './rpc-params.js';
import { accountView, type BlockView, blockView, showAccount, showBlock } from './rpc-views.js';

/**
 * Subscriptions. For each commitment the path that subscribers know is compared with the current path; the blocks that are
 * new on it are announced in order. After a fork those are the replacing blocks; the replaced ones are not announced.
 */
export interface RpcSubscriber {
  send(text: string): void;
}

/** More blocks than a fork can replace. */
const KEPT_PATH = 256;

interface Subscription {
  subscriber: RpcSubscriber;
  kind: string;
  commitment: Commitment;
  /** Results to send for a block. */
  results(block: Block): unknown[];
  once?: boolean;
}

export class SolanaSubscriptions {
  private readonly subscriptions = new Map<number, Subscription>();
  /** The newest blocks that were announced to subscribers, oldest first; always at least one. */
  private readonly announced = new Map<Commitment, Block[]>();
  private nextId = 1;

  constructor(private readonly chain: SolanaChain) {
    for (const commitment of COMMITMENTS) this.announced.set(commitment, [chain.ledger.at(commitment)]);
    chain.onBlock((block) => this.refresh(block));
  }

  /** Result of a call on a socket. `later` holds what follows the answer, such as a signature already confirmed. */
  call(subscriber: RpcSubscriber, method: string, params: Params): { result: unknown; later?: () => void } {
    const [, kind = '', verb] =
      /^(account|block|logs|program|root|signature|slot)(Subscribe|Unsubscribe)$/.exec(method) ?? [];
    if (verb === undefined) throw methodNotFound();
    if (verb === 'Unsubscribe') return { result: this.unsubscribe(subscriber, params[0]) };
    const made = this.make(subscriber, kind, params);
    const id = this.nextId++;
    this.subscriptions.set(id, made);
    return { result: id, later: () => this.begin(id, made, params) };
  }

  remove(subscriber: RpcSubscriber): void {
    for (const [id, subscription] of this.subscriptions) {
      if (subscription.subscriber === subscriber) this.subscriptions.delete(id);
    }
  }

  private unsubscribe(subscriber: RpcSubscriber, id: unknown): boolean {
    const known = this.subscriptions.get(id as number)?.subscriber === subscriber;
    if (!known) throw new SolanaRpcError(-32602, 'Invalid subscription id.');
    return this.subscriptions.delete(id as number);
  }

  /** Reports the state of a signature from before its subscription. */
  private begin(id: number, subscription: Subscription, params: Params): void {
    if (subscription.kind !== 'signature') return;
    const signature = params[0] as string;
    if (flag(configAt(params, 1), 'enableReceivedNotification') && this.chain.isQueued(signature)) {
      this.notify(id, subscription, this.context(this.chain.ledger.tip, 'receivedSignature'));
    }
    const landed = this.chain.ledger.bySignature(signature);
    const newest = this.newestAnnounced(subscription.commitment);
    if (!landed || landed.slot > newest.slot) return;
    this.notify(id, subscription, this.context(newest, { err: landed.meta.err }));
    this.subscriptions.delete(id);
  }

  private make(subscriber: RpcSubscriber, kind: string, params: Params): Subscription {
    if (kind === 'slot' || kind === 'root') return { subscriber, kind, commitment: 'processed', results: () => [] };
    const config = configAt(params, 1);
    const commitment = kind === 'block' ? settledCommitment(config) : commitmentOf(config);
    const base = { subscriber, kind, commitment };
    if (kind === 'signature') {
      const signature = asSignature(params[0]);
      flag(config, 'enableReceivedNotification');
      const results = (block: Block): unknown[] =>
        block.transactions
          .filter((landed) => landed.transaction.signature === signature)
          .map((landed) => this.context(block, { err: landed.meta.err }));
      return { ...base, results, once: true };
    }
    if (kind === 'logs') return { ...base, results: this.logs(mentionsOf(params[0])) };
    if (kind === 'block') return { ...base, results: this.blocks(blockFilter(params[0]), blockView(config)) };
    const address = addressAt(params, 0);
    const filter: Filter = kind === 'program' ? filterOf(config.filters) : () => true;
    return { ...base, results: this.accounts(kind, address, accountView(config, 'binary'), filter) };
  }

  private logs(mentioned: string | null): Subscription['results'] {
    return (block) =>
      block.transactions
        .filter((landed) => mentioned === null || allKeys(landed).includes(mentioned))
        .map(({ transaction, meta }) =>
          this.context(block, { signature: transaction.signature, err: meta.err, logs: meta.logMessages }),
        );
  }

  private blocks(mentioned: string | null, view: BlockView): Subscription['results'] {
    return (block) => {
      const named = block.transactions.filter((landed) => mentioned === null || allKeys(landed).includes(mentioned));
      const { slot } = block;
      try {
        const shown = showBlock({ ...block, transactions: named }, view);
        return [this.context(block, { slot, err: null, block: shown })];
      } catch (error) {
        if (!(error instanceof SolanaRpcError)) throw error;
        // The answer of nodes for a block with a version the subscriber does not know.
        const version = Math.max(...named.map(({ transaction }) => Number(transaction.version) || 0));
        return [this.context(block, { slot, err: { UnsupportedTransactionVersion: version }, block: null })];
      }
    };
  }

  private accounts(kind: string, address: string, view: ReturnType<typeof accountView>, filter: Filter) {
    const decimalsOf = (mint: string): number | null => this.chain.decimalsOf(mint);
    const gone = { lamports: 0n, owner: '1'.repeat(32), data: new Uint8Array(0), executable: false, rentEpoch: 0n };
    return (block: Block): unknown[] => {
      if (kind === 'account') {
        if (!block.before.has(address)) return [];
        const account = this.chain.accountAt(block, address) ?? gone;
        return [this.context(block, showAccount(account, view, decimalsOf))];
      }
      const results: unknown[] = [];
      for (const pubkey of block.before.keys()) {
        const account = this.chain.accountAt(block, pubkey);
        if (account?.owner !== address || !filter(account.data)) continue;
        results.push(this.context(block, { pubkey, account: showAccount(account, view, decimalsOf) }));
      }
      return results;
    };
  }

  private refresh(newest: Block): void {
    const { ledger } = this.chain;
    const oldRoot = this.newestAnnounced('finalized').height;
    this.tell('slot', { slot: newest.slot, parent: newest.parentSlot, root: ledger.root.slot });
    for (const commitment of COMMITMENTS) {
      const path = this.announced.get(commitment) as Block[];
      while (path.length > 0 && !ledger.has(path[path.length - 1] as Block)) path.pop();
      if (path.length === 0) path.push(ledger.root);
      const from = (path[path.length - 1] as Block).height + 1;
      for (const block of ledger.range(from, ledger.at(commitment).height)) {
        this.tellBlock(commitment, block);
        path.push(block);
      }
      if (path.length > 2 * KEPT_PATH) path.splice(0, path.length - KEPT_PATH);
    }
    for (const block of ledger.range(oldRoot + 1, ledger.root.height)) this.tell('root', block.slot);
  }

  private newestAnnounced(commitment: Commitment): Block {
    const path = this.announced.get(commitment) as Block[];
    return path[path.length - 1] as Block;
  }

  private tellBlock(commitment: Commitment, block: Block): void {
    for (const [id, subscription] of this.subscriptions) {
      if (subscription.commitment !== commitment) continue;
      for (const result of subscription.results(block)) {
        this.notify(id, subscription, result);
        if (subscription.once) this.subscriptions.delete(id);
      }
    }
  }

  private tell(kind: string, result: unknown): void {
    for (const [id, subscription] of this.subscriptions) {
      if (subscription.kind === kind) this.notify(id, subscription, result);
    }
  }

  private notify(id: number, { subscriber, kind }: Subscription, result: unknown): void {
    subscriber.send(jsonText({ jsonrpc: '2.0', method: `${kind}Notification`, params: { result, subscription: id } }));
  }

  private context(block: Block, value: unknown): object {
    return { context: { apiVersion: API_VERSION, slot: block.slot }, value };
  }
}

function mentionsOf(value: unknown): string | null {
  if (value === 'all' || value === 'allWithVotes') return null;
  const mentions = listAt([configAt([value], 0).mentions], 0, 100, 'addresses').map(asAddress);
  if (mentions.length !== 1) throw invalidParams('Invalid Request: Only 1 address supported');
  return mentions[0] as string;
}

function blockFilter(value: unknown): string | null {
  if (value === 'all') return null;
  return asAddress(configAt([value], 0).mentionsAccountOrProgram);
}
