import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOP_UNITS, ROUTE_UNITS } from './compute-units.js';
import { bufferOf, derive } from './instruction.js';
import { type Leg, type ProgramRoute, route } from './swap-client.js';
import { Market } from './test/market.js';

/** Compute units of routes: measured here, and the table of docs/programs.md must not be far from them. */
const TOLERANCE = 0.02;
const UNITS_A_TRY = 1500;

test('the table of compute units in the documentation is what routes use', async () => {
  const market = await Market.start();
  const path = [market.hop(0, 0), market.hop(1, 1), market.hop(3, 2), market.hop(5, 3)];
  const hops = (count: number): Leg[] => [{ shareBps: 10_000, hops: path.slice(0, count) }];
  const split: Leg[] = [
    { shareBps: 5000, hops: [market.hop(2, 0)] },
    { shareBps: 5000, hops: path.slice(0, 2) },
  ];
  const feeAccount = await market.world.token(market.mint(1), market.user.id);
  // The owner of a fee account may be anyone, but it is no account of the route.
  const fee = { bps: 50, account: feeAccount };
  const holder = derive(market.swap, Buffer.from('wrap'), bufferOf(market.user.id));
  const cases: [string, ProgramRoute][] = [
    ...[1, 2, 3, 4].map((n): [string, ProgramRoute] => [
      `exact input, ${n} hop${n > 1 ? 's' : ''}`,
      market.order(0, n, hops(n)),
    ]),
    ...[1, 2, 3, 4].map((n): [string, ProgramRoute] => [
      `exact output, ${n} hop${n > 1 ? 's' : ''}`,
      market.order(0, n, hops(n), { mode: 'exactOut' }),
    ]),
    ['exact input, 2 legs, 3 hops', market.order(0, 2, split)],
    ['exact input, 1 hop, fee', market.order(0, 1, hops(1), { fee })],
    [
      'native input, temporary account, 1 hop',
      market.order(3, 0, [{ shareBps: 10_000, hops: [market.hop(4, 3)] }], {
        source: holder.id,
        native: { side: 'input', holder: 'temporary' },
      }),
    ],
  ];
  const rows: [string, number, number][] = [];
  for (const [name, order] of cases) {
    const instruction = route(market.swap, order);
    const { units } = await market.world.ok(instruction);
    // The search for a derived address takes as long as its bump is low; the table shows the shortest.
    const search = order.source === holder.id ? (255 - holder.bump) * UNITS_A_TRY : 0;
    rows.push([name, units - search, new Set(instruction.accounts.map((use) => use.id)).size]);
  }
  const table = rows.map(([name, units, accounts]) => `| ${name} | ${units} | ${accounts} |`).join('\n');
  console.log(`Compute units of routes\n${table}`);
  const page = readFileSync(join(process.cwd(), 'docs/programs.md'), 'utf8').replace(/ +/g, ' ');
  for (const [name, units, accounts] of rows) {
    const [, shown, keys] = new RegExp(`^\\| ${name} \\| (\\d+) \\| (\\d+) \\|$`, 'm').exec(page) ?? [];
    expect([name, Number(keys)]).toEqual([name, accounts]);
    expect(Math.abs(Number(shown) - units)).toBeLessThanOrEqual(units * TOLERANCE);
    const hopCount = Number(/(\d) hops?/.exec(name)![1]);
    expect(units).toBeLessThanOrEqual(ROUTE_UNITS + hopCount * HOP_UNITS.pool.swap);
  }
  for (const [kind, { swap, step }] of Object.entries(HOP_UNITS)) {
    expect(page).toMatch(new RegExp(`^\\| \`${kind}\` \\|[^|]*\\|[^|]*\\| ${swap} \\| ${step} \\|$`, 'm'));
  }
});
