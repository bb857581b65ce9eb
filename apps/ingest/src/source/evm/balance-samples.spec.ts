import type { ContractCall, ContractReader } from '#libs/chain/chains/evm/contract-reader.js';
import type { RpcEndpoint } from '#libs/chain/chains/evm/rpc/endpoint.js';
import type { SourceBlock } from '#libs/chain/chains/source-port.js';
import type { ChainEvent } from '#libs/protocol/blocks.js';
import { BalanceSamples } from './balance-samples.js';

const id = (n: number, bytes = 20): string => n.toString(16).padStart(bytes * 2, '0');
const [NOBODY, ANN, BOB] = [id(0), id(0xa), id(0xb)];
const { signal } = new AbortController();
const word = (amount: number): string => amount.toString(16).padStart(64, '0');

/** Nodes that answer what `say` says of a wallet; each question is noted. */
class Nodes {
  readonly asked: { node: number; block: unknown; wallets: string[] }[] = [];
  readonly samples: BalanceSamples;

  constructor(count: number, say: (node: number, token: string, wallet: string) => string | null | Error) {
    const endpoints = Array.from({ length: count }, (_, index) => ({ index }) as RpcEndpoint);
    const read = async (endpoint: RpcEndpoint, calls: readonly ContractCall[], block: unknown) => {
      const wallets = calls.map(({ data }) => data.slice(-40));
      this.asked.push({ node: endpoint.index, block, wallets });
      return calls.map(({ to }, index) => {
        const answer = say(endpoint.index, to, wallets[index]!);
        if (answer instanceof Error) throw answer;
        return answer;
      });
    };
    this.samples = new BalanceSamples({ read } as unknown as ContractReader, endpoints);
  }
}

const block = (height: number, moves: [token: number, from: string, to: string][], seconds = height): SourceBlock => ({
  ...{ height, hash: id(height, 32), parentHash: id(height - 1, 32), time: seconds * 1_000, source: 'http' },
  ...{ observedAt: 0, txs: [], tokens: [], pools: [], anchors: [] },
  events: moves.map(
    ([token, from, to], ordinal): ChainEvent => ({
      ...{ kind: 'transfer', tx: 0, ordinal, token: id(token), from, to, amount: 1n },
    }),
  ),
});

describe('what wallets hold, asked at the head', () => {
  it('is said by the next block alone, and by none of another branch', async () => {
    const { samples, asked } = new Nodes(1, (_node, _token, wallet) => word(wallet === ANN ? 7 : 9));
    await samples.ask(block(10, [[1, ANN, BOB]]), 0, signal);
    expect(asked).toEqual([{ node: 0, block: { blockHash: `0x${id(10, 32)}` }, wallets: [BOB, ANN] }]);
    expect(samples.beside(block(11, [])).samples).toEqual([
      { token: id(1), wallet: BOB, amount: 9n },
      { token: id(1), wallet: ANN, amount: 7n },
    ]);
    expect(samples.beside({ ...block(11, []), parentHash: id(0xff, 32) }).samples).toBeUndefined();
    expect(samples.beside(block(12, [])).samples).toBeUndefined();
  });

  it('holds up no block: what has not come yet is left out', async () => {
    let answer = (): void => undefined;
    const waiting = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const read = async () => {
      await waiting;
      return [word(1), word(1)];
    };
    const samples = new BalanceSamples({ read } as unknown as ContractReader, [{ index: 0 } as RpcEndpoint]);
    const asking = samples.ask(block(10, [[1, ANN, BOB]]), 0, signal);
    expect(samples.beside(block(11, [])).samples).toBeUndefined();
    answer();
    await asking;
    expect(samples.beside(block(11, [])).samples).toHaveLength(2);
  });

  it('leaves out what two nodes do not agree on, what is no amount, and what no node answers', async () => {
    const liar = new Nodes(2, (node, _token, wallet) => word(wallet === ANN ? node : 5));
    await liar.samples.ask(block(10, [[1, ANN, BOB]]), 1, signal);
    expect(liar.asked.map(({ node }) => node).sort()).toEqual([0, 1]);
    expect(liar.samples.beside(block(11, [])).samples).toEqual([{ token: id(1), wallet: BOB, amount: 5n }]);
    const odd = new Nodes(1, (_node, _token, wallet) => (wallet === ANN ? null : '00'));
    await odd.samples.ask(block(10, [[1, ANN, BOB]]), 0, signal);
    expect(odd.samples.beside(block(11, [])).samples).toBeUndefined();
    const dead = new Nodes(1, () => new Error('away'));
    await dead.samples.ask(block(10, [[1, ANN, BOB]]), 0, signal);
    expect(dead.samples.beside(block(11, [])).samples).toBeUndefined();
  });

  it('asks of a token ever more seldom, and again of wallets that do not move', async () => {
    const { samples, asked } = new Nodes(1, () => word(1));
    const ask = async (height: number, seconds: number, moves: [number, string, string][]) => {
      const before = asked.length;
      await samples.ask(block(height, moves, seconds), 0, signal);
      samples.beside(block(height + 1, [], seconds));
      return asked.slice(before).flatMap(({ wallets }) => wallets);
    };
    expect(await ask(1, 100, [[1, NOBODY, ANN]])).toEqual([ANN]);
    // Too soon for any question, then for this token, whose wallet is asked about once more.
    expect(await ask(2, 101, [[2, ANN, BOB]])).toEqual([]);
    expect(await ask(3, 120, [[1, ANN, BOB]])).toEqual([ANN]);
    expect(await ask(4, 123, [[2, ANN, BOB]])).toEqual([BOB, ANN]);
    // Those of token 2 once more, then those of token 1.
    expect(await ask(5, 131, [[1, ANN, BOB]])).toEqual([BOB, ANN, BOB, ANN]);
    expect(await ask(6, 190, [[1, ANN, BOB]])).toEqual([BOB, ANN]);
    expect(await ask(7, 192, [[1, ANN, BOB]])).toEqual([BOB, ANN]);
    expect(await ask(8, 701, [])).toEqual([BOB, ANN, ANN]);
    expect(await ask(9, 730, [])).toEqual([ANN, BOB, ANN]);
    expect(await ask(10, 731, [])).toEqual([]);
    expect(await ask(11, 732, [])).toEqual([BOB, ANN, BOB, ANN]);
  });

  it('asks once more until the answers come in time', async () => {
    const { samples, asked } = new Nodes(1, () => word(1));
    const ask = async (height: number, isLate: boolean): Promise<number> => {
      const question = samples.ask(block(height, height === 1 ? [[1, NOBODY, ANN]] : [], 100 * height), 0, signal);
      if (!isLate) await question;
      samples.beside(block(height + 1, [], 100 * height));
      await question;
      return asked.length;
    };
    const counts = [
      await ask(1, false),
      await ask(2, true),
      await ask(3, true),
      await ask(4, false),
      await ask(5, false),
    ];
    expect(counts).toEqual([1, 2, 3, 4, 4]);
  });

  it('asks again soon where the answers come after the next block', async () => {
    const { samples, asked } = new Nodes(1, () => word(1));
    const late = async (height: number, seconds: number): Promise<number> => {
      const question = samples.ask(block(height, [[1, NOBODY, ANN]], seconds), 0, signal);
      expect(samples.beside(block(height + 1, [], seconds)).samples).toBeUndefined();
      await question;
      return asked.length;
    };
    expect([await late(1, 100), await late(2, 104), await late(3, 106), await late(4, 112)]).toEqual([1, 1, 2, 3]);
  });

  it('asks nobody without nodes', async () => {
    const { samples, asked } = new Nodes(0, () => word(1));
    await samples.ask(block(10, [[1, ANN, BOB]]), 0, signal);
    expect([asked, samples.beside(block(11, [])).samples]).toEqual([[], undefined]);
  });
});
