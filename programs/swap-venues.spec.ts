import type { Hex } from '#libs/core/ids.js';
import { type Instruction, reads, signs, writes } from './instruction.js';
import { type ListedHop, readRouteEvent, VENUE_KINDS, venueRoute } from './swap-client.js';
import {
  ListedVenue,
  MODES,
  mint2022,
  shapes,
  TOKEN_2022,
  type Told,
  token2022,
  transferFee,
} from './test/listed-venue.js';
import type { Wallet } from './test/svm-world.js';

/**
 * Venues that speak their own instructions, played by one whose account says what it does: what the swap program calls each kind
 * with, and that whatever a venue or the builder of a route tries, the user loses nothing.
 */
type Kind = keyof typeof shapes;
const kinds = Object.keys(shapes) as Kind[];

describe('venues of every kind', () => {
  let venue: ListedVenue;
  let stranger: Wallet;
  beforeAll(async () => {
    venue = await ListedVenue.start();
    stranger = await venue.market.world.wallet();
  });

  const balances = (): bigint[] => venue.balances();
  const refused = (instruction: Instruction, name: string | RegExp) => venue.refused(instruction, name);
  const said = (kind: Kind, told: Omit<Told, 'mode'>): ListedHop => venue.hop(kind, { mode: 'paysSaid', ...told });

  test('every kind of the program has its shape here', () => {
    expect(['pool', 'curve', ...kinds].sort()).toEqual([...VENUE_KINDS].sort());
  });

  describe.each(kinds)('%s', (kind) => {
    const shape = shapes[kind];
    beforeAll(async () => {
      await venue.is(kind);
    });
    const directions = shape.isOrdered ? [true] : [true, false];

    test.each(directions)(
      'is called as its interface says, and what moved is measured (first account is the input: %s)',
      async (firstIsInput) => {
        for (const exact of ['in', 'out'] as const) {
          if (shape.sellsExactInputs && exact === 'out' && firstIsInput) continue;
          const [amount, limit] = exact === 'in' ? [1_000n, 1n] : [777n, 5_000n];
          const hop = said(kind, { take: 990n, pay: 777n, firstIsInput });
          const before = balances();
          const mode = exact === 'in' ? ('exactIn' as const) : ('exactOut' as const);
          const done = await venue.market.world.ok(venue.route([hop], { mode, amount, limit }));
          const after = balances();
          expect([before[0]! - after[0]!, after[1]! - before[1]!]).toEqual([990n, 777n]);
          const event = readRouteEvent(done.events.at(-1)!)!;
          expect([event.mode, event.amountIn, event.amountOut]).toEqual([mode, 990n, 777n]);
          const [data, uses] = done.events as [Buffer, Buffer];
          // An exact input may give anything above nothing to the venue: the route's own least output counts at its end.
          expect(data.toString('hex')).toBe(shape.data(exact, amount, limit, firstIsInput).toString('hex'));
          expect([...uses]).toEqual(
            hop.list.map(({ writable }, place) => (place === shape.user ? 2 : 0) + (writable ? 1 : 0)),
          );
        }
      },
    );

    test.each([
      ['nothing', 'swap.Short'],
      ['takesMore', 'swap.Overspent'],
      ['setsDelegate', 'swap.Tampered'],
      ['takesOwnership', 'swap.Tampered'],
      ['setsCloseAuthority', 'swap.Tampered'],
      ['paysOne', 'swap.Slippage'],
      ['drainsOutput', 'swap.Short'],
    ] as const)('%s: refused', async (mode, name) => {
      await refused(venue.route([venue.hop(kind, { mode })], { limit: 2n }), name);
    });

    test('pays less than an exact output, takes more than its limit, calls back', async () => {
      const out = { mode: 'exactOut' as const, amount: 500n, limit: 600n };
      const firstIsInput = !shape.sellsExactInputs;
      const asked = (take: bigint, pay: bigint) => venue.route([said(kind, { take, pay, firstIsInput })], out);
      await refused(asked(600n, 499n), 'swap.Short');
      await refused(asked(601n, 500n), 'swap.Overspent');
      await venue.market.world.ok(asked(600n, 500n));
      if (shape.sellsExactInputs) await refused(venue.route([said(kind, { take: 600n, pay: 500n })], out), 'swap.Plan');
      const again = venue.hop(kind, { mode: 'callsBack', vaultIn: venue.market.swap });
      const call = venue.route([again]);
      const done = await refused(
        { ...call, accounts: call.accounts.map((use) => (use.id === venue.market.swap ? reads(use.id) : use)) },
        /reentran/i,
      );
      expect(done.logs.join()).toContain('invoke [2]');
    });

    test('another user, the user elsewhere, other accounts of the user, the two accounts in wrong places', async () => {
      const { market } = venue;
      const good = { take: 10n, pay: 10n };
      const theirs = await market.world.token(market.mint(0), stranger.id, 1_000n);
      const own = market.account(2);
      const at = (change: Told['change']) => venue.route([said(kind, { ...good, change })]);
      const user = { ...signs(market.user.id) };
      await refused(at({ [shape.user]: reads(stranger.id) }), 'swap.Plan');
      await refused(at({ [shape.first]: writes(theirs) }), 'swap.Plan');
      await refused(at({ [shape.second]: writes(theirs) }), 'swap.Plan');
      if (shape.isOrdered) await refused(venue.route([said(kind, { ...good, firstIsInput: false })]), 'swap.Plan');
      const last = venue.freePlaces(kind).at(-1)!;
      for (const place of [last, venue.freePlaces(kind)[0]!]) {
        await refused(at({ [place]: user }), 'swap.Duplicate');
        await refused(at({ [place]: writes(own) }), 'swap.Duplicate');
        await refused(at({ [place]: writes(market.account(0)) }), 'swap.Duplicate');
        await refused(at({ [place]: writes(market.account(1)) }), 'swap.Duplicate');
      }
      // The user in the place of a vault, and the account that is paid.
      await refused(venue.route([said(kind, { ...good, vaultIn: own })]), 'swap.Duplicate');
      await refused(venue.route([said(kind, { ...good, output: market.account(0) })]), /swap\.(Plan|Duplicate)/);
    });

    test('too few accounts, truncated data, a dead row, no row, a row of another kind, the short form', async () => {
      const { market } = venue;
      const hop = said(kind, { take: 10n, pay: 10n });
      await refused(
        venue.route([
          {
            ...hop,
            list: hop.list.slice(0, shape.count - (kind === 'raydium-clmm' ? 2 : kind === 'meteora-dlmm' ? 3 : 1)),
          },
        ]),
        'swap.Accounts',
      );
      const good = venue.route([hop]);
      await refused({ ...good, accounts: good.accounts.slice(0, -1) }, 'swap.Accounts');
      await refused({ ...good, accounts: [...good.accounts, reads(venue.program)] }, 'swap.Accounts');
      for (let length = 0; length < good.data.length; length++)
        expect((await market.world.send({ ...good, data: good.data.subarray(0, length) })).result).toBe(
          'swap.Instruction',
        );
      await refused({ ...good, data: Buffer.concat([good.data, Buffer.alloc(1)]) }, 'swap.Instruction');
      const fewer = Buffer.from(good.data);
      fewer[24]!--;
      await refused({ ...good, data: fewer }, 'swap.Accounts');
      await venue.is(kind, false);
      await refused(good, 'swap.RowDead');
      // As another kind the places are others: a list never fits two of them.
      for (const other of kinds) {
        if (other === kind) continue;
        await venue.is(other);
        await refused(good, /^swap\.(Plan|Accounts|Duplicate|Short)$/);
      }
      await venue.is(kind);
      await refused(venue.route([{ ...hop, venue: stranger.id }]), 'swap.NoRow');
      const short = market.instruction(0, 1, [
        { shareBps: 10_000, hops: [{ ...market.hop(0, 0), venue: venue.program }] },
      ]);
      await refused(short, 'swap.Kind');
      await market.world.ok(good);
    });
  });

  describe('routes of several hops', () => {
    const kind = 'meteora-dbc';
    beforeAll(() => venue.is(kind));

    test('an exact input goes on with what the hop before paid', async () => {
      const { market } = venue;
      const [a, b, c] = [0, 1, 2].map(market.account) as [Hex, Hex, Hex];
      const first = said(kind, { take: 900n, pay: 555n });
      const before = balances();
      const order = venue.order(a, c, [first, venue.pool(1, 1, b, c)]);
      const expected = market.expected(
        market.order(1, 2, [{ shareBps: 10_000, hops: [market.hop(1, 1)] }], { amount: 555n }),
      )!;
      await market.world.ok(venueRoute(market.swap, order));
      const after = balances();
      expect([before[0]! - after[0]!, after[1]! - before[1]!, after[2]! - before[2]!]).toEqual([
        900n,
        0n,
        expected.received,
      ]);
    });

    test('an exact output: own pools are computed, the first venue takes what it asks, others are bounded', async () => {
      const { market } = venue;
      const [a, b, c] = [0, 1, 2].map(market.account) as [Hex, Hex, Hex];
      const exactOut = { mode: 'exactOut' as const, amount: 1_000n, limit: 50_000n };
      const step = market.expected(
        market.order(1, 2, [{ shareBps: 10_000, hops: [market.hop(1, 1)] }], exactOut),
      )!.given;
      const before = balances();
      const ok = venue.order(a, c, [said(kind, { take: 40_000n, pay: step }), venue.pool(1, 1, b, c)], exactOut);
      await market.world.ok(venueRoute(market.swap, ok));
      const after = balances();
      expect([before[0]! - after[0]!, after[1]! - before[1]!, after[2]! - before[2]!]).toEqual([40_000n, 0n, 1_000n]);
      const short = venue.order(
        a,
        c,
        [said(kind, { take: 40_000n, pay: step - 1n }), venue.pool(1, 1, b, c)],
        exactOut,
      );
      await refused(venueRoute(market.swap, short), 'swap.Short');
      const dear = venue.order(a, c, [said(kind, { take: 50_001n, pay: step }), venue.pool(1, 1, b, c)], exactOut);
      await refused(venueRoute(market.swap, dear), 'swap.Overspent');
      // The venue last: its own amount is bounded by what the builder says, and asked of the pool before.
      const vaults = { vaultIn: await market.world.token(market.mint(2), stranger.id), input: c, output: b };
      const last = said(kind, { take: 300n, pay: 1_000n, ...vaults });
      const pool = venue.pool(2, 0, a, c);
      await refused(venueRoute(market.swap, venue.order(a, b, [pool, last], exactOut)), 'swap.Plan');
      await refused(
        venueRoute(market.swap, venue.order(a, b, [pool, { ...last, mostIn: 299n }], exactOut)),
        'swap.Overspent',
      );
      await refused(venueRoute(market.swap, venue.order(a, b, [{ ...pool, mostIn: 5n }, last], exactOut)), 'swap.Plan');
      const given = market.expected(
        market.order(0, 2, [{ shareBps: 10_000, hops: [market.hop(2, 0)] }], { ...exactOut, amount: 300n }),
      )!.given;
      const start = balances();
      await market.world.ok(venueRoute(market.swap, venue.order(a, b, [pool, { ...last, mostIn: 300n }], exactOut)));
      const end = balances();
      expect([start[0]! - end[0]!, end[1]! - start[1]!, end[2]! - start[2]!]).toEqual([given, 1_000n, 0n]);
      await refused(venueRoute(market.swap, venue.order(a, b, [pool, { ...last, mostIn: 300n }])), 'swap.Plan');
    });
  });

  describe('tokens of Token-2022', () => {
    const kind = 'raydium-cpmm';
    beforeAll(() => venue.is(kind));

    /** A hop into a token with that mint; `extensions` are those of its accounts. */
    async function into(mintData: Buffer, extensions: [number, Uint8Array][] = [], told: Partial<Told> = {}) {
      const { market } = venue;
      const { world } = market;
      const [mint, output, vaultOut] = [await world.wallet(0n), await world.wallet(0n), await world.wallet(0n)].map(
        ({ id }) => id,
      ) as [Hex, Hex, Hex];
      world.put(mint, TOKEN_2022, mintData);
      world.put(output, TOKEN_2022, token2022(mint, market.user.id, 5n, ...extensions));
      const state = venue.hop(kind, { mode: 'nothing' }).list.find(({ id }) => world.data(id)?.length === 40)!.id;
      world.put(vaultOut, TOKEN_2022, token2022(mint, state, 1_000_000n, ...extensions));
      const hop = said(kind, {
        take: 100n,
        pay: 1_000n,
        vaultOut,
        output,
        change: { 11: reads(mint), 12: reads(TOKEN_2022) },
        ...told,
      });
      return { hop, output, mint, instruction: venueRoute(market.swap, venue.order(market.account(0), output, [hop])) };
    }
    const held = (id: Hex): bigint => venue.market.world.data(id)!.readBigUInt64LE(64);

    test('pass, and a fee on transfers counts as not received', async () => {
      const plain = await into(mint2022());
      await venue.market.world.ok(plain.instruction);
      expect(held(plain.output)).toBe(1_005n);
      const named = await into(mint2022([18, Buffer.alloc(64)], [3, Buffer.alloc(32)]));
      await venue.market.world.ok(named.instruction);
      const taxed = await into(mint2022(transferFee(500)), [[2, Buffer.alloc(8)]]);
      const limit = { amount: 100n, limit: 951n };
      const order = venue.order(venue.market.account(0), taxed.output, [taxed.hop], limit);
      await refused(venueRoute(venue.market.swap, order), 'swap.Slippage');
      const done = await venue.market.world.ok(venueRoute(venue.market.swap, { ...order, limit: 950n }));
      expect(held(taxed.output)).toBe(955n);
      expect(readRouteEvent(done.events.at(-1)!)!.amountOut).toBe(950n);
    });

    test('whose mint lets others take, freeze or hold back tokens are refused, and those whose mint is not shown', async () => {
      const someone = Buffer.alloc(32, 7);
      const harmful: [string, [number, Uint8Array]][] = [
        ['permanent delegate', [12, someone]],
        ['frozen from the start', [6, Buffer.from([2])]],
        ['not transferable', [9, Buffer.alloc(0)]],
        ['hook', [14, Buffer.concat([Buffer.alloc(32), someone])]],
        ['hook that may come', [14, Buffer.concat([someone, Buffer.alloc(32)])]],
        ['pausable', [26, Buffer.alloc(33)]],
        ['confidential supply', [24, Buffer.alloc(196)]],
        ['unknown', [200, Buffer.alloc(4)]],
      ];
      for (const [, extension] of harmful)
        await refused((await into(mint2022([18, Buffer.alloc(64)], extension))).instruction, 'swap.Extension');
      await refused((await into(mint2022([14, Buffer.alloc(63)]))).instruction, 'swap.Extension');
      const cut = mint2022([18, Buffer.alloc(64)]).subarray(0, 200);
      await refused((await into(cut)).instruction, 'swap.Extension');
      const { hop, output } = await into(mint2022());
      const hidden = { ...hop, list: hop.list.with(11, reads(TOKEN_2022)) };
      await refused(venueRoute(venue.market.swap, venue.order(venue.market.account(0), output, [hidden])), 'swap.Mint');
    });

    test('in accounts that are frozen, not initialized or of another kind are refused', async () => {
      const { market } = venue;
      for (const change of [
        (data: Buffer) => data.writeUInt8(2, 108),
        (data: Buffer) => data.writeUInt8(0, 108),
        (data: Buffer) => data.writeUInt8(1, 165),
      ]) {
        const { output, mint, instruction } = await into(mint2022(transferFee(0)), [[2, Buffer.alloc(8)]]);
        const data = token2022(mint, market.user.id, 5n, [2, Buffer.alloc(8)]);
        change(data);
        market.world.put(output, TOKEN_2022, data);
        await refused(instruction, 'swap.TokenAccount');
      }
    });

    test('cannot be tampered with either', async () => {
      for (const mode of ['setsDelegate', 'takesOwnership', 'setsCloseAuthority'] as const) {
        const { instruction } = await into(mint2022(), [[7, Buffer.alloc(0)]], { mode });
        const done = await venue.market.world.send(instruction);
        // The owner of an account that says so stays: the token program refuses that itself.
        expect([mode, done.result]).toEqual([mode, mode === 'takesOwnership' ? expect.any(String) : 'swap.Tampered']);
        expect(done.result).not.toBe('ok');
      }
      expect(Object.keys(MODES).length).toBe(15);
    });
  });
});
