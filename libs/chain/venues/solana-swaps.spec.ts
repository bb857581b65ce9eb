import { SolanaInstruction } from '#libs/chain/chains/solana/instruction.js';
import { TOKEN_PROGRAM } from '#libs/chain/chains/solana/programs.js';
import { SolanaTransaction } from '#libs/chain/chains/solana/transaction.js';
import { DBC_SWAP, DBC_SWAP_2, meteoraDbc } from '#libs/chain/launchpads/meteora-dbc/decode.js';
import { pumpFun } from '#libs/chain/launchpads/pump-fun/decode.js';
import { launchlabLayout, raydiumLaunchlab } from '#libs/chain/launchpads/raydium-launchlab/decode.js';
import { type EventLayout } from '#libs/chain/market-ports/solana/event-layout.js';
import { type RecordedInstruction, recordedEvents } from '#libs/chain/market-ports/solana/test/recorded-events.js';
import type { SolanaLeg, SolanaVenue } from '#libs/chain/market-ports/solana/venue.js';
import { encodeBase58 } from '#libs/core/base58.js';
import { DAMM_SWAP, DAMM_SWAP_2, meteoraDammV2 } from './meteora-damm-v2/decode.js';
import { meteoraDlmm } from './meteora-dlmm/decode.js';
import { orcaWhirlpool } from './orca-whirlpool/decode.js';
import { pumpSwap } from './pumpswap/decode.js';
import { raydiumClmm } from './raydium-clmm/decode.js';
import { raydiumCpmm } from './raydium-cpmm/decode.js';

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));

/** An instruction with the calls below it, as they are in a transaction. */
function legsOf(
  venue: SolanaVenue,
  instruction: { data: Uint8Array; accounts: string[] },
  calls: { program: string; data: Uint8Array; accounts: string[] }[],
): readonly SolanaLeg[] {
  const keys = [
    ...new Set(['trader', venue.program, ...instruction.accounts, ...calls.flatMap(({ accounts }) => accounts)]),
  ];
  const make = (program: string, accounts: string[], data: Uint8Array, inner: number) =>
    new SolanaInstruction(
      program,
      accounts.map((key) => keys.indexOf(key)),
      data,
      0,
      inner,
      inner < 0 ? 1 : 2,
    );
  const flat = [
    make(venue.program, instruction.accounts, instruction.data, -1),
    ...calls.map(({ program, accounts, data }, inner) => make(program, accounts, data, inner)),
  ];
  return venue.legs(new SolanaTransaction('', 1, false, keys, 1, flat, 0n, [], [], [], [], []), 0);
}

function transferChecked(source: string, mint: string, destination: string, authority: string, amount: bigint) {
  const data = Buffer.alloc(10);
  data[0] = 12;
  data.writeBigUInt64LE(amount, 1);
  return { program: TOKEN_PROGRAM, accounts: [source, mint, destination, authority], data: Uint8Array.from(data) };
}

const instructionOf = (program: string, name: string) =>
  recordedEvents.instructions.find((fixture) => fixture.program === program && fixture.name === name)!;

/** Account that the source's own decoder calls by that name. */
const account = (fixture: RecordedInstruction, label: string): string =>
  fixture.accounts[fixture.labels.indexOf(label)]!;

describe('swap instructions', () => {
  it('of Whirlpool, CLMM and CPMM are read by the vaults that their accounts name', () => {
    const whirlpool = instructionOf('orca-whirlpool', 'swap_v2_ix');
    const [vaultA, vaultB, owner] = ['tokenVaultA', 'tokenVaultB', 'tokenAuthority'].map((label) =>
      account(whirlpool, label),
    );
    const legs = legsOf(orcaWhirlpool, { data: bytes(whirlpool.data), accounts: whirlpool.accounts }, [
      transferChecked('mine', 'B', vaultB!, owner!, 11n),
      transferChecked(vaultA!, 'A', 'mine2', account(whirlpool, 'whirlpool'), 22n),
    ]);
    expect(legs).toEqual([
      {
        pool: account(whirlpool, 'whirlpool'),
        authority: owner,
        inputMint: 'B',
        inputAmount: 11n,
        outputMint: 'A',
        outputAmount: 22n,
        stated: { vaults: [vaultA, vaultB] },
      },
    ]);
    for (const name of ['swap_ix', 'swap_v2_ix']) {
      const clmm = instructionOf('raydium-clmm', name);
      const [input, output, payer, pool] = ['inputVault', 'outputVault', 'payer', 'poolState'].map((label) =>
        account(clmm, label),
      );
      const calls = [
        transferChecked('mine', 'X', input!, payer!, 5n),
        transferChecked(output!, 'Y', 'mine2', pool!, 6n),
      ];
      expect(legsOf(raydiumClmm, { data: bytes(clmm.data), accounts: clmm.accounts }, calls)).toEqual([
        {
          pool,
          authority: payer,
          inputMint: 'X',
          inputAmount: 5n,
          outputMint: 'Y',
          outputAmount: 6n,
          stated: { vaults: [input, output] },
        },
      ]);
    }
    const accounts = 'payer authority config pool in out vaultIn vaultOut p1 p2 mintIn mintOut observation'.split(' ');
    for (const data of ['8fbe5adac41e33de', '37d96256a34ab4ad']) {
      const calls = [
        transferChecked('in', 'mintIn', 'vaultIn', 'payer', 7n),
        transferChecked('vaultOut', 'mintOut', 'out', 'authority', 8n),
      ];
      expect(legsOf(raydiumCpmm, { data: bytes(data), accounts }, calls)).toEqual([
        {
          pool: 'pool',
          authority: 'payer',
          inputMint: 'mintIn',
          inputAmount: 7n,
          outputMint: 'mintOut',
          outputAmount: 8n,
          stated: { vaults: ['vaultIn', 'vaultOut'] },
        },
      ]);
    }
  });

  it('that cross several pools give one leg for each', () => {
    const twoHop = instructionOf('orca-whirlpool', 'two_hop_swap_ix');
    const at = (label: string) => account(twoHop, label);
    const legs = legsOf(orcaWhirlpool, { data: bytes(twoHop.data), accounts: twoHop.accounts }, [
      transferChecked('mine', 'A', at('tokenVaultOneA'), 'trader', 1n),
      transferChecked(at('tokenVaultOneB'), 'B', 'mine2', 'one', 2n),
      transferChecked('mine2', 'B', at('tokenVaultTwoA'), 'trader', 2n),
      transferChecked(at('tokenVaultTwoB'), 'C', 'mine3', 'two', 3n),
    ]);
    expect(legs.map(({ pool, inputAmount, outputAmount }) => [pool, inputAmount, outputAmount])).toEqual([
      [at('whirlpoolOne'), 1n, 2n],
      [at('whirlpoolTwo'), 2n, 3n],
    ]);
    expect(legs.map(({ stated }) => stated?.vaults)).toEqual([
      [at('tokenVaultOneA'), at('tokenVaultOneB')],
      [at('tokenVaultTwoA'), at('tokenVaultTwoB')],
    ]);
    const second = 'w1 w2 m1 m2 m3 p1 p2 p3 own1 v1 v2 v3 v4 own2 trader'.split(' ');
    const straight = legsOf(orcaWhirlpool, { data: bytes('ba8fd11dfe02c275'), accounts: second }, [
      transferChecked('own1', 'A', 'v1', 'trader', 1n),
      transferChecked('v2', 'B', 'v3', 'w1', 2n),
      transferChecked('v4', 'C', 'own2', 'w2', 3n),
    ]);
    expect(straight.map(({ pool, inputMint, outputMint }) => `${pool} ${inputMint} ${outputMint}`)).toEqual([
      'w1 A B',
      'w2 B C',
    ]);
    const router = instructionOf('raydium-clmm', 'swap_router_base_in_ix');
    const hop = (n: number) =>
      ['config', 'pool', 'out', 'in', 'vault', 'mint', 'obs', 'ticks'].map((name) => `${name}${n}`);
    const hops = legsOf(
      raydiumClmm,
      { data: bytes(router.data), accounts: [...router.accounts.slice(0, 6), ...hop(1), 'more', ...hop(2)] },
      [
        transferChecked('mine', 'A', 'in1', 'trader', 1n),
        transferChecked('vault1', 'B', 'out1', 'pool1', 2n),
        transferChecked('out1', 'B', 'in2', 'trader', 2n),
        transferChecked('vault2', 'C', 'out2', 'pool2', 3n),
      ],
    );
    expect(hops.map(({ pool, inputAmount, outputAmount }) => [pool, inputAmount, outputAmount])).toEqual([
      ['pool1', 1n, 2n],
      ['pool2', 2n, 3n],
    ]);
    expect(hops.map(({ stated }) => stated)).toEqual([{ vaults: ['in1', 'vault1'] }, { vaults: ['in2', 'vault2'] }]);
  });

  it('of the venues that emit events take mints from their accounts and the rest from the event', () => {
    const launch = 'payer authority global platform pool ub uq vb vq BASE QUOTE'.split(' ');
    for (const { test, bytes: hex, fields } of recordedEvents.events.filter(({ test: name }) =>
      name.includes('launchpad'),
    )) {
      const event = { program: raydiumLaunchlab.program, accounts: ['e'], data: bytes(hex) };
      const buy = launchlabLayout(event.data).field(event.data, 'trade_direction') === 0;
      expect(BigInt(fields.real_quote_after!) > BigInt(fields.real_quote_before!)).toBe(buy);
      expect({ test, legs: legsOf(raydiumLaunchlab, { data: bytes('00'), accounts: launch }, [event]) }).toMatchObject({
        test,
        legs: [
          {
            authority: 'payer',
            inputMint: 'QUOTE',
            inputAmount: BigInt(fields.amount_in!),
            outputMint: 'BASE',
            outputAmount: BigInt(fields.amount_out!),
          },
        ],
      });
    }
    const damm = recordedEvents.events.find(({ test }) => test.includes('daam'))!;
    const accounts = 'authority pool in out va vb A B payer'.split(' ');
    const event = { program: meteoraDammV2.program, accounts: ['e'], data: bytes(damm.bytes) };
    expect(legsOf(meteoraDammV2, { data: bytes('00'), accounts }, [event])).toMatchObject([
      {
        authority: 'payer',
        inputMint: 'B',
        inputAmount: 200000000n,
        outputMint: 'A',
        outputAmount: DAMM_SWAP.u64(event.data, 'output_amount'),
      },
    ]);
    const dlmm = instructionOf('meteora-dlmm', 'swap2_ix');
    expect(legsOf(meteoraDlmm, { data: bytes(dlmm.data), accounts: dlmm.accounts }, [])).toEqual([]);
    expect([dlmm.labels.indexOf('tokenXMint'), dlmm.labels.indexOf('tokenYMint')]).toEqual([6, 7]);
  });

  it('of the bonding curve and the second DAMM event are read once, whichever forms of the event come', () => {
    const word = (value: bigint, size = 8) => {
      const out = Buffer.alloc(size);
      out.writeBigUInt64LE(value);
      return out;
    };
    const event = (layout: EventLayout, ...parts: Uint8Array[]) =>
      Uint8Array.from(Buffer.concat([bytes('e445a52e51cb9a1d'), layout.discriminator, ...parts]));
    const key = Buffer.alloc(32, 1);
    const zero = (count: number) => Buffer.alloc(count);
    const first = event(
      DBC_SWAP,
      key,
      key,
      zero(2),
      word(90n),
      zero(8),
      word(88n),
      word(7n),
      zero(16 + 24),
      word(90n),
      zero(8),
    );
    const second = event(
      DBC_SWAP_2,
      key,
      key,
      zero(2),
      word(90n),
      zero(8 + 1),
      word(90n),
      word(88n),
      zero(8),
      word(7n),
      zero(16 + 24 + 24),
    );
    const accounts = 'authority config pool in out vb vq BASE QUOTE payer'.split(' ');
    const call = (data: Uint8Array) => ({ program: meteoraDbc.program, accounts: ['e'], data });
    for (const calls of [[call(first)], [call(second)], [call(first), call(second)]]) {
      expect(legsOf(meteoraDbc, { data: bytes('00'), accounts }, calls)).toMatchObject([
        { inputMint: 'BASE', inputAmount: 90n, outputMint: 'QUOTE', outputAmount: 7n, authority: 'payer' },
      ]);
    }
    const damm = event(
      DAMM_SWAP_2,
      key,
      zero(3),
      zero(17),
      zero(24),
      word(5n),
      zero(16 + 32),
      word(61n),
      word(62n),
      word(5n),
      zero(24),
    );
    const pool = 'authority pool in out va vb A B payer'.split(' ');
    expect(
      legsOf(meteoraDammV2, { data: bytes('00'), accounts: pool }, [
        { program: meteoraDammV2.program, accounts: ['e'], data: damm },
      ]),
    ).toMatchObject([{ inputMint: 'A', inputAmount: 61n, outputMint: 'B', outputAmount: 62n }]);
  });

  it('of pump.fun against another quote than SOL are read in that quote, from the curve of the second layout', () => {
    const newest = recordedEvents.pump.find(({ fields }) => fields.ix_name === 'buy' && 'quote_mint' in fields)!;
    const data = bytes(newest.bytes);
    data.set(Buffer.alloc(32, 9), data.length - 24 - 32);
    new DataView(data.buffer).setBigUint64(data.length - 24, 777n, true);
    new DataView(data.buffer).setBigUint64(16 + 32, 0n, true);
    const accounts = 'global base quote 3 4 5 6 7 8 9 curve 11'.split(' ');
    const event = { program: pumpFun.program, accounts: ['e'], data };
    expect(legsOf(pumpFun, { data: bytes('b817ee6167c5d33d'), accounts }, [event])).toMatchObject([
      { pool: 'curve', inputMint: encodeBase58(new Uint8Array(32).fill(9)), inputAmount: 777n },
    ]);
    expect(legsOf(pumpSwap, { data: bytes('00'), accounts }, [event])).toEqual([]);
  });

  it('that cross several pump.fun curves or PumpSwap pools give one leg for each event', () => {
    const old = recordedEvents.pump.find(({ event, fields }) => event === 'TradeEvent' && fields.is_buy === true)!;
    const mint = old.fields.mint as string;
    const event = { program: pumpFun.program, accounts: ['e'], data: bytes(old.bytes) };
    const other = Uint8Array.from(event.data);
    other.fill(5, 16, 48);
    const second = encodeBase58(new Uint8Array(32).fill(5));
    const accounts = ['head', 'more', mint, 'SOL', 'curve1', 'x', 'y', second, mint, 'curve2', 'x2', 'y2'];
    const calls = [event, { ...event, data: other }];
    expect(
      legsOf(pumpFun, { data: bytes('0102030405060708'), accounts }, calls).map(({ pool, outputMint }) => [
        pool,
        outputMint,
      ]),
    ).toEqual([
      ['curve1', mint],
      ['curve2', second],
    ]);
    for (const [discriminator, at] of [
      ['07051dc4f5176550', 5],
      ['1c92de7726c469d5', 5],
      ['5df6823ce7e940b2', 10],
      ['38fc74089edfcd5f', 3],
    ] as const) {
      const named = Array.from({ length: 16 }, (_, nth) => `account${nth}`);
      expect(legsOf(pumpFun, { data: bytes(discriminator), accounts: named }, [event])).toMatchObject([
        { pool: `account${at}` },
      ]);
    }
    const buy = recordedEvents.pump.find(({ event: name }) => name === 'BuyEvent')!;
    const hop = { program: pumpSwap.program, accounts: ['e'], data: bytes(buy.bytes) };
    const route = ['user', 'in', 'out', 'BASE', 'QUOTE', buy.fields.pool as string, 'vb', 'vq'];
    const stated = {
      inputAmount: BigInt(buy.fields.quote_amount_in_with_lp_fee as string),
      outputAmount: BigInt(buy.fields.base_amount_out as string),
    };
    expect(legsOf(pumpSwap, { data: bytes('2b644913e9f66f94'), accounts: route }, [hop])).toMatchObject([
      { inputMint: 'QUOTE', outputMint: 'BASE', ...stated },
    ]);
  });

  it('give what was moved where the event leaves a fee out', () => {
    const buy = recordedEvents.pump.find(({ event: name }) => name === 'BuyEvent')!;
    const event = { program: pumpSwap.program, accounts: ['e'], data: bytes(buy.bytes) };
    const accounts = 'pool user config BASE QUOTE ub uq vb vq'.split(' ');
    const base = BigInt(buy.fields.base_amount_out as string);
    const quote = BigInt(buy.fields.quote_amount_in_with_lp_fee as string);
    const legs = (...amounts: bigint[]) =>
      legsOf(pumpSwap, { data: bytes('00'), accounts }, [
        transferChecked('vb', 'BASE', 'ub', 'pool', base),
        ...amounts.map((amount) => transferChecked('uq', 'QUOTE', 'vq', 'user', amount)),
        transferChecked('vq', 'QUOTE', 'fees', 'pool', 3n),
        event,
      ]);
    expect(legs(quote + 9n)).toMatchObject([{ inputAmount: quote + 9n, outputAmount: base }]);
    expect(legs(9n, quote)).toMatchObject([{ inputAmount: quote, outputAmount: base }]);
  });
});
