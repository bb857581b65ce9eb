import { encodeEventTopics, type Hex, pad, parseAbi, toHex } from 'viem';
import { HexText } from '#libs/chain/chains/evm/hex-text.js';
import type { TransferEvent } from '#libs/protocol/blocks.js';
import { CoinWraps, WRAP_TOPICS } from './coin-wraps.js';

const ABI = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Deposit(address indexed dst, uint256 wad)',
  'event Withdrawal(address indexed src, uint256 wad)',
]);
const address = (n: number): Hex => pad(toHex(n), { size: 20 });
const [COIN, NOBODY, ANN, BOB] = [address(0xc0), address(0), address(0xa), address(0xb)];

interface Log {
  readonly tx: number;
  readonly topics: string[];
  readonly amount: bigint;
}

const transfer = (tx: number, from: Hex, to: Hex, amount: bigint): Log => ({
  ...{ tx, amount },
  topics: encodeEventTopics({ abi: ABI, eventName: 'Transfer', args: { from, to } }) as string[],
});
const deposit = (tx: number, dst: Hex, amount: bigint): Log => ({
  ...{ tx, amount },
  topics: encodeEventTopics({ abi: ABI, eventName: 'Deposit', args: { dst } }) as string[],
});
const withdrawal = (tx: number, src: Hex, amount: bigint): Log => ({
  ...{ tx, amount },
  topics: encodeEventTopics({ abi: ABI, eventName: 'Withdrawal', args: { src } }) as string[],
});

/** What the logs move, as `from to amount`. */
function moved(logs: readonly Log[]): string[] {
  const wraps = new CoinWraps(COIN.slice(2));
  return logs.flatMap(({ tx, topics, amount }, ordinal) => {
    const text = pad(toHex(amount), { size: 32 });
    const data = new HexText(Buffer.from(text, 'latin1'), 2, 64);
    const event = wraps.decode({ address: COIN, topics, data }, tx, ordinal) as TransferEvent | null;
    return event === null ? [] : [`${Number(`0x${event.from}`)} ${Number(`0x${event.to}`)} ${event.amount}`];
  });
}

describe('movements of a wrapped coin', () => {
  it('has the topics of its two events', () => {
    expect(WRAP_TOPICS).toEqual([deposit(0, ANN, 1n).topics[0], withdrawal(0, ANN, 1n).topics[0]]);
  });

  it('wraps and unwraps where the contract sends no Transfer', () => {
    const logs = [deposit(0, ANN, 5n), transfer(0, ANN, BOB, 2n), withdrawal(1, BOB, 2n)];
    expect(moved(logs)).toEqual(['0 10 5', '10 11 2', '11 0 2']);
  });

  it('counts once what is stated twice, in either order', () => {
    expect(moved([deposit(0, ANN, 5n), transfer(0, NOBODY, ANN, 5n)])).toEqual(['0 10 5']);
    expect(moved([transfer(0, NOBODY, ANN, 5n), deposit(0, ANN, 5n)])).toEqual(['0 10 5']);
    expect(moved([withdrawal(0, ANN, 5n), transfer(0, ANN, NOBODY, 5n)])).toEqual(['10 0 5']);
    expect(moved([transfer(0, ANN, NOBODY, 5n), withdrawal(0, ANN, 5n)])).toEqual(['10 0 5']);
  });

  it('counts equal movements as often as they are made', () => {
    const both = [deposit(0, ANN, 5n), transfer(0, NOBODY, ANN, 5n)];
    expect(moved([...both, ...both])).toEqual(['0 10 5', '0 10 5']);
    expect(moved([deposit(0, ANN, 5n), deposit(0, ANN, 5n)])).toEqual(['0 10 5', '0 10 5']);
    expect(moved([transfer(0, NOBODY, ANN, 5n), transfer(0, NOBODY, ANN, 5n)])).toEqual(['0 10 5', '0 10 5']);
  });

  it('takes nothing for the same that differs in account, amount, transaction or place', () => {
    expect(moved([deposit(0, ANN, 5n), transfer(0, NOBODY, BOB, 5n)])).toHaveLength(2);
    expect(moved([deposit(0, ANN, 5n), transfer(0, NOBODY, ANN, 4n)])).toHaveLength(2);
    expect(moved([deposit(0, ANN, 5n), transfer(1, NOBODY, ANN, 5n)])).toHaveLength(2);
    expect(moved([deposit(0, ANN, 5n), transfer(0, ANN, BOB, 1n), transfer(0, NOBODY, ANN, 5n)])).toHaveLength(3);
    expect(moved([deposit(0, ANN, 5n), withdrawal(0, ANN, 5n)])).toEqual(['0 10 5', '10 0 5']);
  });

  it('says nothing of logs of another shape', () => {
    const { topics, ...rest } = deposit(0, ANN, 5n);
    expect(
      moved([
        { ...rest, topics: [topics[0]!] },
        { ...rest, topics: [...topics, topics[1]!] },
      ]),
    ).toEqual([]);
  });
});
