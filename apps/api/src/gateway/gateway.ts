import { ByteChunks } from '#libs/core/byte-chunks.js';
import type { CostClass } from '#libs/protocol/accounts/prices.js';
import { Answer, JSON_TYPE } from '#libs/serve/http/answer.js';
import type { HttpLogger } from '#libs/serve/http/listener.js';
import { chainNamed } from '../access/chain-access.js';
import type { ChainGateway } from './chain-gateway.js';
import type { LocalMethods } from './local-methods.js';
import { costOf } from './method-cost.js';
import { treatmentOf } from './method-policy.js';
import { internalFault, RpcFault } from './rpc-fault.js';
import { type GatewayCall, type RefusedCall, readRequest } from './rpc-request.js';

/** Calls of one batch that are carried out at a time. */
const AT_A_TIME = 16;
/** What the answers of one batch may hold together. */
const MOST_BATCH_BYTES = 64 * 1024 * 1024;

export interface GatewayParts {
  /** By slug, the chains that this instance serves. */
  readonly chains: ReadonlyMap<string, ChainGateway>;
  /** Methods that are answered here, whatever the chain. */
  readonly local: LocalMethods;
  readonly logger: HttpLogger;
}

/**
 * JSON-RPC 2.0 over HTTP. Invariants: each call gets the answer to its own id, in the order of the calls, and a notification
 * none; whatever a call does wrong is a JSON-RPC error with HTTP 200. Results are the bytes that a node sent.
 */
export class RpcGateway {
  constructor(private readonly parts: GatewayParts) {}

  /** `takeCalls` takes what the calls cost, or throws the refusal; null: nothing is counted. */
  async answer(
    chainName: string,
    body: unknown,
    requestId: string,
    takeCalls: ((calls: readonly CostClass[]) => Promise<void>) | null = null,
  ): Promise<Answer> {
    const chain = chainNamed(this.parts.chains, chainName, 'served');
    const { calls, batch } = readRequest(body);
    const { family } = chain.chain;
    await takeCalls?.(calls.map((call) => ('fault' in call ? 'read' : costOf(family, call.method))));
    if (!batch) {
      const reply = await this.reply(chain, calls[0]!, requestId);
      return reply === null ? nothing() : new Answer(reply, JSON_TYPE, null, NO_STORE);
    }
    const replies = (await this.carryOut(chain, calls, requestId)).filter((reply) => reply !== null);
    if (replies.length === 0) return nothing();
    const parts = replies.flatMap(({ list }, index) => [index === 0 ? LIST : COMMA, ...list]);
    return new Answer(new ByteChunks([...parts, END]), JSON_TYPE, null, NO_STORE);
  }

  private async carryOut(
    chain: ChainGateway,
    calls: readonly (GatewayCall | RefusedCall)[],
    requestId: string,
  ): Promise<(ByteChunks | null)[]> {
    const replies = new Array<ByteChunks | null>(calls.length).fill(null);
    let next = 0;
    let bytes = 0;
    const work = async (): Promise<void> => {
      for (let at = next++; at < calls.length; at = next++) {
        const call = calls[at]!;
        const { id } = call;
        let reply: ByteChunks | null;
        if (bytes > MOST_BATCH_BYTES && id !== null) {
          reply = errorReply(
            id,
            internalFault(`the answers hold more than ${MOST_BATCH_BYTES} bytes: ask for less`).json,
          );
        } else reply = await this.reply(chain, call, requestId);
        bytes += reply?.length ?? 0;
        replies[at] = reply;
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_A_TIME, calls.length) }, work));
    return replies;
  }

  private async reply(
    chain: ChainGateway,
    call: GatewayCall | RefusedCall,
    requestId: string,
  ): Promise<ByteChunks | null> {
    if ('fault' in call) return errorReply(call.id, call.fault.json);
    const { id, method, params } = call;
    // A notification has no answer: only what is sent to the chain matters.
    if (id === null && treatmentOf(chain.chain.family, method) !== 'send') return null;
    try {
      const local = this.parts.local.find(method);
      const answer =
        local === null
          ? await chain.ask(call)
          : { result: new ByteChunks([Buffer.from(await local(chain.chain.slug, params), 'utf8')]) };
      if (id === null) return null;
      return answer.error === undefined ? resultReply(id, answer.result) : errorReply(id, answer.error);
    } catch (error) {
      if (id === null) return null;
      if (error instanceof RpcFault) return errorReply(id, error.json);
      this.parts.logger.error({ err: error, requestId, chain: chain.chain.slug, method }, 'a call failed');
      return errorReply(id, internalFault(`internal error; tell the operator the request id ${requestId}`).json);
    }
  }
}

const NO_STORE = { 'cache-control': 'no-store' };
const LIST = Buffer.from('[');
const COMMA = Buffer.from(',');
const END = Buffer.from(']');
const CLOSE = Buffer.from('}');

const nothing = (): Answer => new Answer('', JSON_TYPE, null, NO_STORE, 204);

/** Below this a copy costs less than a part. */
const WORTH_A_PART = 8 * 1024;

/** A large result is not copied. */
const resultReply = (id: string, result: ByteChunks): ByteChunks => {
  const reply = new ByteChunks([Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":`, 'utf8'), ...result.list, CLOSE]);
  return result.length < WORTH_A_PART ? new ByteChunks([reply.joined()]) : reply;
};

const errorReply = (id: string, error: Buffer | string): ByteChunks => {
  const bytes = typeof error === 'string' ? Buffer.from(error, 'utf8') : error;
  return new ByteChunks([Buffer.concat([Buffer.from(`{"jsonrpc":"2.0","id":${id},"error":`, 'utf8'), bytes, CLOSE])]);
};
