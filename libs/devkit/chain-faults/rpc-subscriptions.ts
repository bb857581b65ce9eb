import type { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import type { RpcLog } from '#libs/devkit/chain-builder/rpc-shapes.js';
import type { ServedBlock, ServedChain } from '#libs/devkit/chain-builder/served-chain.js';
import type { FaultSettings } from './fault-settings.js';
import { compileLogFilter, type LogFilter } from './log-filter.js';
import type { ResponseTampering } from './response-tampering.js';
import type { RpcNode } from './rpc-node.js';

/** One socket's subscriptions. */
export interface NodeSubscriber {
  send(text: string): void;
  heads: Set<string>;
  logs: Map<string, LogFilter>;
}

/**
 * Notifies subscribers of changes of the visible path: removed logs of dropped blocks, newest block first, then every new
 * head with its logs. A head that only goes down sends nothing, as real nodes do.
 */
export class Subscriptions {
  private readonly subscribers = new Set<NodeSubscriber>();
  private readonly sent: ServedBlock[] = [];
  private nextId = 1;

  constructor(
    private readonly chain: ServedChain,
    private readonly node: RpcNode,
    private readonly tampering: ResponseTampering,
    private readonly faults: FaultSettings,
    private readonly random: SeededRandom,
    private readonly visibleHead: () => number,
    private readonly count: (fault: string) => void,
  ) {
    this.begin(this.visibleHead());
  }

  add(subscriber: NodeSubscriber): void {
    this.subscribers.add(subscriber);
  }

  remove(subscriber: NodeSubscriber): void {
    this.subscribers.delete(subscriber);
  }

  /** Id of a new subscription, or null for a kind that is not offered. */
  subscribe(subscriber: NodeSubscriber, params: readonly unknown[]): string | null {
    const id = `0x${(this.nextId++).toString(16).padStart(32, '0')}`;
    if (params[0] === 'newHeads') subscriber.heads.add(id);
    else if (params[0] === 'logs') subscriber.logs.set(id, compileLogFilter((params[1] ?? {}) as object));
    else return null;
    return id;
  }

  unsubscribe(subscriber: NodeSubscriber, id: unknown): boolean {
    return subscriber.heads.delete(String(id)) || subscriber.logs.delete(String(id));
  }

  /** Compares the blocks that were sent to subscribers with the current path. */
  refresh(): void {
    const head = this.visibleHead();
    const dropped: ServedBlock[] = [];
    let last = this.sent[this.sent.length - 1];
    while (last && this.chain.blockAt(last.number)?.hash !== last.hash) {
      dropped.push(last);
      this.sent.pop();
      last = this.sent[this.sent.length - 1];
    }
    if (this.faults.removedOnReorg) for (const block of dropped) this.sendLogs(block, true);
    this.dropAbove(head);
    if (last && this.sent.length === 0) this.begin(head);
    // After a jump without any known block only the new head is sent.
    const from = last
      ? last.number + 1
      : dropped.length > 0
        ? (dropped[dropped.length - 1] as ServedBlock).number
        : head;
    for (let height = from; height <= head; height++) {
      const block = this.chain.blockAt(height);
      if (!block) break;
      this.sent.push(block);
      this.sendHead(block);
      this.sendLogs(block, false);
    }
    if (this.sent.length > 1024) this.sent.splice(0, this.sent.length - 512);
  }

  /** The block that is visible at the start counts as sent. */
  private begin(height: number): void {
    const block = this.chain.blockAt(height);
    if (block) this.sent.push(block);
  }

  private dropAbove(height: number): void {
    while (this.sent.length > 0 && (this.sent[this.sent.length - 1] as ServedBlock).number > height) this.sent.pop();
  }

  private sendHead(block: ServedBlock): void {
    let header: string | null = null;
    for (const subscriber of this.subscribers) {
      for (const id of subscriber.heads) {
        header ??= this.node.headerJson(block);
        this.notify(subscriber, id, header);
      }
    }
  }

  private sendLogs(block: ServedBlock, removed: boolean): void {
    for (const subscriber of this.subscribers) {
      for (const [id, filter] of subscriber.logs) {
        const indices: number[] = [];
        block.logKeys.forEach((key, index) => {
          if (filter.matches(key)) indices.push(index);
        });
        for (const text of this.tampering.logs(block, indices)) {
          const result = removed ? JSON.stringify({ ...(JSON.parse(text) as RpcLog), removed: true }) : text;
          this.notify(subscriber, id, result);
        }
      }
    }
  }

  private notify(subscriber: NodeSubscriber, id: string, result: string): void {
    if (this.random.chance(this.faults.dropNotificationRate)) {
      this.count('dropNotification');
      return;
    }
    const text = `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":${result}}}`;
    subscriber.send(text);
    if (this.random.chance(this.faults.duplicateRate)) {
      this.count('duplicate');
      subscriber.send(text);
    }
  }
}
