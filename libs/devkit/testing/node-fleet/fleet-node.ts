import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { SeededRandom } from '#libs/devkit/chain-builder/random.js';
import type { Answer, Behaviour, Call, Family, Json, NodeView, Reply, Request, Rule } from './behaviour.js';
import { jsonReply, sendReply } from './reply.js';

/** The honest node behind those of a fleet. */
export interface HonestNode {
  readonly family: Family;
  readonly url: string;
  /** Its newest block: a height, or the newest confirmed slot. */
  head(): Promise<number>;
}

/**
 * A node that is asked in place of the honest one and behaves as a list of behaviours says. It answers JSON-RPC over HTTP on
 * a port of its own; what no behaviour changes is the honest answer.
 */
export class FleetNode {
  requests = 0;
  calls = 0;
  /** Requests that were not refused as a whole. */
  served = 0;
  /** How often each behaviour has struck, by its name. */
  readonly struck: Record<string, number> = {};
  private readonly rules: readonly Rule[];
  private readonly server: Server;
  private readonly connections = new Set<Socket>();
  private readonly heights = new Map<string, number>();

  private constructor(
    private readonly honest: HonestNode,
    readonly behaviours: readonly Behaviour[],
    seed: number,
    startHead: number,
  ) {
    this.rules = behaviours.map(({ name, rule }, n) => rule(this.viewOf(name, seed + n, startHead)));
    this.server = createServer((request, response) => void this.serve(request, response));
    this.server.on('connection', (socket) => {
      this.connections.add(socket);
      socket.on('close', () => this.connections.delete(socket));
    });
  }

  static async start(honest: HonestNode, behaviours: readonly Behaviour[], seed: number): Promise<FleetNode> {
    const node = new FleetNode(honest, behaviours, seed, await honest.head());
    await new Promise<void>((ready) => node.server.listen(0, '127.0.0.1', ready));
    return node;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((done) => this.server.close(done));
    for (const connection of this.connections) connection.destroy();
    await closed;
  }

  private viewOf(name: string, seed: number, startHead: number): NodeView {
    const { honest } = this;
    return {
      ...{ family: honest.family, seed, random: new SeededRandom(seed), startHead },
      head: () => honest.head(),
      ask: async (method, params) => (await this.ask([{ id: 0, method, params }]))[0]!,
      heightOf: (hash) => this.heightOf(hash),
      struck: () => {
        this.struck[name] = (this.struck[name] ?? 0) + 1;
      },
    };
  }

  private async serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    try {
      for await (const piece of incoming) pieces.push(piece as Buffer);
      sendReply(await this.replyTo(JSON.parse(Buffer.concat(pieces).toString())), incoming, response);
    } catch {
      // The client has gone, or the honest node is being closed: such a connection ends without an answer.
      response.destroy();
    }
  }

  private async replyTo(body: Json): Promise<Reply> {
    const list = Array.isArray(body);
    const calls: Call[] = (list ? body : [body]).map(({ id, method, params }: Json) => {
      return { id, method, params: params ?? [] };
    });
    const request: Request = { calls, list, nth: this.requests++, lag: 0 };
    this.calls += calls.length;
    for (const rule of this.rules) {
      const reply = await rule.onRequest?.(request);
      if (reply) return reply;
    }
    this.served++;
    const given = await this.answers(request);
    let answers: Json[] = given.map((answer, n) => ({ jsonrpc: '2.0', id: calls[n]!.id, ...answer }));
    for (const rule of this.rules) answers = rule.onAnswers?.(answers, request) ?? answers;
    const text = JSON.stringify(list ? answers : answers[0]);
    for (const rule of this.rules) {
      const reply = await rule.onText?.(text, request);
      if (reply) return reply;
    }
    return jsonReply(200, text);
  }

  private async answers(request: Request): Promise<Answer[]> {
    const own = await Promise.all(request.calls.map((call) => this.ownAnswer(call, request)));
    const open = request.calls.filter((_, n) => own[n] === null);
    const asked: Call[] = [];
    for (const call of open) {
      let question = call;
      for (const rule of this.rules) question = (await rule.asks?.(question, request)) ?? question;
      asked.push(question);
    }
    const honest = asked.length === 0 ? [] : await this.ask(asked);
    const changed = await Promise.all(honest.map((answer, n) => this.changed(asked[n]!, answer, request)));
    return own.map((answer) => answer ?? changed.shift()!);
  }

  private async ownAnswer(call: Call, request: Request): Promise<Answer | null> {
    for (const rule of this.rules) {
      const answer = await rule.onCall?.(call, request);
      if (answer) return answer;
    }
    return null;
  }

  private async changed(call: Call, answer: Answer, request: Request): Promise<Answer> {
    if ('error' in answer) return answer;
    let { result } = answer;
    for (const rule of this.rules) if (rule.onResult) result = await rule.onResult(call, result, request);
    return { result };
  }

  private async ask(calls: readonly Call[]): Promise<Answer[]> {
    const body = JSON.stringify(calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params })));
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(this.honest.url, { method: 'POST', headers, body });
    const answers = (await response.json()) as Json[];
    return answers.map(({ error, result }) => (error ? { error } : { result }));
  }

  private async heightOf(hash: string): Promise<number | null> {
    const known = this.heights.get(hash);
    if (known !== undefined) return known;
    const [answer] = await this.ask([{ id: 0, method: 'eth_getBlockByHash', params: [hash, false] }]);
    if (!('result' in answer!) || answer.result === null) return null;
    const height = Number(answer.result.number);
    this.heights.set(hash, height);
    return height;
  }
}
