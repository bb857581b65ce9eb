import type { Hex } from '#libs/core/ids.js';
import {
  type AccountUse,
  bufferOf,
  derive,
  type Instruction,
  reads,
  signs,
  TOKEN_PROGRAM_ID,
  u64,
  writes,
} from '../instruction.js';
import {
  addRow,
  type Leg,
  type ListedHop,
  type ProgramRoute,
  setRow,
  type VenueKind,
  venueRoute,
} from '../swap-client.js';
import { funded, Market } from './market.js';
import type { Outcome, Wallet } from './svm-world.js';

/** What a venue of a kind is called with: places in its list, and the bytes of its two swaps. Written down from their IDLs. */
export interface VenueShape {
  readonly count: number;
  readonly user: number;
  readonly first: number;
  readonly second: number;
  /** Whether the first account is always the input; else it is that of the pool's first token. */
  readonly isOrdered: boolean;
  readonly tagBytes: number;
  /** Places of the accounts that the user pays the rent of. */
  readonly pays?: readonly [number, number];
  /** Whether these are token accounts that the venue makes, not accounts of its own. */
  readonly makesTokens?: true;
  /** Whether the first account as input is another instruction, which knows exact inputs alone. */
  readonly sellsExactInputs?: true;
  /** Whether coins of the user itself move where the second account is of wrapped ones. */
  readonly movesCoins?: true;
  data(exact: 'in' | 'out', amount: bigint, limit: bigint, firstIsInput: boolean): Buffer;
}

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
/** An exact output comes after the most input, or before it. */
const limitFirst =
  (tagIn: string, tagOut: string, tail = '') =>
  (exact: 'in' | 'out', amount: bigint, limit: bigint): Buffer =>
    exact === 'in'
      ? Buffer.concat([hex(tagIn), u64(amount), u64(limit), hex(tail)])
      : Buffer.concat([hex(tagOut), u64(limit), u64(amount), hex(tail)]);
const withMode = (exact: 'in' | 'out', amount: bigint, limit: bigint): Buffer =>
  Buffer.concat([hex('414b3f4ceb5b5b88'), u64(amount), u64(limit), hex(exact === 'in' ? '00' : '02')]);
const SWAP_V2 = '2b04ed0b1ac91e62';
const NO_PRICE = '00'.repeat(16);

export const shapes: Record<Exclude<VenueKind, 'pool' | 'curve'>, VenueShape> = {
  'raydium-cpmm': {
    ...{ count: 13, user: 0, first: 4, second: 5, isOrdered: true, tagBytes: 8 },
    data: limitFirst('8fbe5adac41e33de', '37d96256a34ab4ad'),
  },
  'meteora-damm-v2': { count: 14, user: 8, first: 2, second: 3, isOrdered: true, tagBytes: 8, data: withMode },
  'raydium-v4': {
    ...{ count: 17, user: 16, first: 14, second: 15, isOrdered: true, tagBytes: 1 },
    data: limitFirst('09', '0b'),
  },
  'meteora-dbc': { count: 15, user: 9, first: 3, second: 4, isOrdered: true, tagBytes: 8, data: withMode },
  'orca-whirlpool': {
    ...{ count: 15, user: 3, first: 7, second: 9, isOrdered: false, tagBytes: 8 },
    data: (exact, amount, limit, firstIsInput) =>
      Buffer.concat([
        ...[hex(SWAP_V2), u64(amount), u64(limit), hex(NO_PRICE)],
        ...[hex(exact === 'in' ? '01' : '00'), hex(firstIsInput ? '01' : '00'), hex('00')],
      ]),
  },
  'raydium-clmm': {
    ...{ count: 14, user: 0, first: 3, second: 4, isOrdered: true, tagBytes: 8 },
    data: (exact, amount, limit) =>
      Buffer.concat([hex(SWAP_V2), u64(amount), u64(limit), hex(NO_PRICE), hex(exact === 'in' ? '01' : '00')]),
  },
  'meteora-dlmm': {
    ...{ count: 18, user: 10, first: 4, second: 5, isOrdered: true, tagBytes: 8 },
    data: limitFirst('414b3f4ceb5b5b88', '2bd7f784893cf351', '00000000'),
  },
  pumpswap: {
    ...{ count: 17, user: 1, first: 5, second: 6, isOrdered: false, tagBytes: 8, pays: [0, 12] },
    sellsExactInputs: true,
    data: (exact, amount, limit, firstIsInput) =>
      Buffer.concat([
        hex(firstIsInput ? '5df6823ce7e940b2' : exact === 'in' ? 'c2ab1c46684d5b2f' : 'b817ee6167c5d33d'),
        ...[u64(amount), u64(limit)],
      ]),
  },
  'pump-fun': {
    ...{ count: 17, user: 8, first: 9, second: 10, isOrdered: false, tagBytes: 8, pays: [5, 11], movesCoins: true },
    sellsExactInputs: true,
    data: (exact, amount, limit, firstIsInput) =>
      Buffer.concat([
        hex(firstIsInput ? '1c92de7726c469d5' : exact === 'in' ? 'e1f7501ed5b38488' : '07051dc4f5176550'),
        ...[u64(amount), u64(limit), hex(firstIsInput ? '' : '00')],
      ]),
  },
  'raydium-launchlab': {
    ...{ count: 18, user: 0, first: 5, second: 6, isOrdered: false, tagBytes: 8, pays: [16, 17], makesTokens: true },
    data: (exact, amount, limit, firstIsInput) =>
      Buffer.concat([
        hex(
          exact === 'in'
            ? firstIsInput
              ? '9527de9bd37c981a'
              : 'faea0d7bd59c13ec'
            : firstIsInput
              ? '5fc8472208090ba6'
              : '18d3742869039938',
        ),
        ...[u64(amount), u64(limit), u64(0n)],
      ]),
  },
};

export const MODES = {
  nothing: 0,
  callsBack: 1,
  takesMore: 2,
  setsDelegate: 3,
  takesOwnership: 4,
  setsCloseAuthority: 5,
  paysOne: 6,
  drainsOutput: 7,
  paysSaid: 8,
  takesLamports: 9,
  assignsUser: 10,
  growsUser: 11,
  givesLamports: 12,
  growsState: 13,
  makesTokens: 14,
} as const;

export interface Told {
  mode: keyof typeof MODES;
  take?: bigint;
  pay?: bigint;
  /** Of the user's, before it swaps, and the place of the account that gets them. */
  lamports?: bigint;
  payee?: number;
  /** Lamports of the venue's own state, to give to the user. */
  holds?: bigint;
  firstIsInput?: boolean;
  vaultIn?: Hex;
  vaultOut?: Hex;
  input?: Hex;
  output?: Hex;
  /** Further accounts, by their place. */
  change?: Record<number, AccountUse>;
  count?: number;
}

/** The venue that misbehaves, with a live row of whatever kind is asked for. */
export class ListedVenue {
  private constructor(
    readonly market: Market,
    readonly program: Hex,
    private readonly state: { id: Hex; bump: number },
    readonly vaultIn: Hex,
    readonly vaultOut: Hex,
  ) {}

  static async start(): Promise<ListedVenue> {
    const market = await Market.start();
    const program = await market.world.deploy('hostile');
    await market.world.ok(addRow(market.swap, market.admin.id, { program, kind: 'pool', live: true }));
    const state = derive(program, Buffer.from('v'));
    const owner = { id: state.id } as Wallet;
    const vaultIn = await market.world.token(market.mint(0), state.id);
    const vaultOut = await funded(market.world, market.mint(1), owner, 1_000_000_000n);
    return new ListedVenue(market, program, state, vaultIn, vaultOut);
  }

  is = (kind: VenueKind, live = true) =>
    this.market.world.ok(setRow(this.market.swap, this.market.admin.id, { program: this.program, kind, live }));

  balances = (): bigint[] => [0, 1, 2, 3, 4].map(this.market.held);

  /** Fails with that error, and moves nothing of the user's. */
  async refused(instruction: Instruction, name: string | RegExp): Promise<Outcome> {
    const { world, user } = this.market;
    const before = [...this.balances(), world.lamports(user.id)];
    const done = await world.send(instruction);
    if (typeof name === 'string') expect(done.result).toBe(name);
    else expect(done.result).toMatch(name);
    expect([...this.balances(), world.lamports(user.id)]).toEqual(before);
    return done;
  }

  /** A hop as that kind of venue lists it; what it has no place for here is the token program. */
  hop(kind: keyof typeof shapes, told: Told): ListedHop {
    const { market, state } = this;
    const shape = shapes[kind];
    const [input, output] = [told.input ?? market.account(0), told.output ?? market.account(1)];
    const [first, second] = (told.firstIsInput ?? true) ? [input, output] : [output, input];
    const list: AccountUse[] = Array.from({ length: told.count ?? shape.count }, () => reads(TOKEN_PROGRAM_ID));
    const free = list
      .map((_, place) => place)
      .filter((place) => ![shape.user, shape.first, shape.second].includes(place));
    const stateAt = (shape.makesTokens ? undefined : shape.pays?.[0]) ?? free[0]!;
    const [vaultInAt, vaultOutAt] = free.filter((place) => place !== stateAt) as [number, number];
    list[stateAt] = writes(state.id);
    list[vaultInAt] = writes(told.vaultIn ?? this.vaultIn);
    list[vaultOutAt] = writes(told.vaultOut ?? this.vaultOut);
    list[shape.first] = writes(first);
    list[shape.second] = writes(second);
    list[shape.user] = signs(market.user.id, shape.pays !== undefined);
    for (const [place, use] of Object.entries(told.change ?? {})) list[Number(place)] = use;
    const [inAt, outAt] = (told.firstIsInput ?? true) ? [shape.first, shape.second] : [shape.second, shape.first];
    const places = [shape.user, inAt, outAt, shape.tagBytes, vaultInAt, vaultOutAt];
    const amounts = [u64(told.take ?? 0n), u64(told.pay ?? 0n), u64(told.lamports ?? 0n), u64(BigInt(told.payee ?? 0))];
    const data = Buffer.concat([Buffer.from([MODES[told.mode], state.bump, ...places]), ...amounts]);
    market.world.put(state.id, this.program, data, market.world.rent(data.length) + (told.holds ?? 0n));
    return { venue: this.program, userOut: output, list };
  }

  /** Places of the list that have no fixed meaning for the swap program. */
  freePlaces(kind: keyof typeof shapes): number[] {
    const { count, user, first, second } = shapes[kind];
    return Array.from({ length: count }, (_, n) => n).filter((n) => n !== user && n !== first && n !== second);
  }

  /** A hop over one of the market's own pools. */
  pool(index: number, mintIn: number, input: Hex, output: Hex): ListedHop {
    const { venue, state, vaultIn, vaultOut } = this.market.hop(index, mintIn);
    const list = [reads(state), signs(this.market.user.id), writes(input), writes(output)];
    return { venue, userOut: output, list: [...list, writes(vaultIn), writes(vaultOut), reads(TOKEN_PROGRAM_ID)] };
  }

  order(
    from: Hex,
    to: Hex,
    hops: readonly ListedHop[],
    rest: Partial<ProgramRoute<ListedHop>> = {},
  ): ProgramRoute<ListedHop> {
    const legs: Leg<ListedHop>[] = [{ shareBps: 10_000, hops }];
    const limit = rest.mode === 'exactOut' ? 1n << 62n : 1n;
    const { id: user } = this.market.user;
    return { mode: 'exactIn', user, source: from, destination: to, amount: 1_000n, limit, legs, ...rest };
  }

  route = (hops: readonly ListedHop[], rest: Partial<ProgramRoute<ListedHop>> = {}) =>
    venueRoute(this.market.swap, this.order(this.market.account(0), this.market.account(1), hops, rest));
}

/** A token account or mint of Token-2022 in bytes, with extensions. */
export const TOKEN_2022 = '06ddf6e1ee758fde18425dbce46ccddab61afc4d83b90d27febdf928d8a18bfc';
const extension = ([type, value]: [number, Uint8Array]): Buffer => {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(type, 0);
  head.writeUInt16LE(value.length, 2);
  return Buffer.concat([head, value]);
};
const extended = (base: Buffer, kind: number, extensions: [number, Uint8Array][]): Buffer =>
  extensions.length === 0
    ? base
    : Buffer.concat([base, Buffer.alloc(165 - base.length), Buffer.from([kind]), ...extensions.map(extension)]);

export function mint2022(...extensions: [number, Uint8Array][]): Buffer {
  const data = Buffer.alloc(82);
  data.writeBigUInt64LE(1n << 60n, 36);
  data[44] = 6;
  data[45] = 1;
  return extended(data, 1, extensions);
}

export function token2022(mint: Hex, owner: Hex, amount: bigint, ...extensions: [number, Uint8Array][]): Buffer {
  const data = Buffer.alloc(165);
  data.set(bufferOf(mint));
  data.set(bufferOf(owner), 32);
  data.writeBigUInt64LE(amount, 64);
  data[108] = 1;
  return extended(data, 2, extensions);
}

/** A fee of so many basis points on every transfer, from epoch 0 on. */
export function transferFee(bps: number): [number, Uint8Array] {
  const value = Buffer.alloc(108);
  for (const at of [72, 90]) {
    value.writeBigUInt64LE((1n << 64n) - 1n, at + 8);
    value.writeUInt16LE(bps, at + 16);
  }
  return [1, value];
}
