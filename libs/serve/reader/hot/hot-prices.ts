import { byId } from '#libs/core/by-id.js';
import type { Hex } from '#libs/core/ids.js';
import type { PriceRow } from '#libs/pipeline/store/market/price-reads.js';
import type { View } from '#libs/pipeline/store/market/view.js';
import type { ReferencePrice } from '#libs/protocol/facts.js';
import { MOST_LONG } from './batches.js';
import type { Sources } from './hot-keyed.js';
import { REFERENCES, UncacheableState } from './hot-states.js';
import { NewestRow } from './newest-row.js';
import { indexBefore, MOST_STEPS, PriceSteps, RECENT_MS, ReferenceSteps } from './price-steps.js';

/** The past of reference prices is held in parts of this length. */
const PART_MS = 900_000;

const stepsOf = (token: Hex): string => `price-steps ${token}`;

type UsdRow = NewestRow<{ usd: bigint | null }>;

/** Prices of earlier times, and reference prices, at a view that the states are at. */
export function hotPrices({ tables, states, batches }: Sources) {
  /** The steps of each token from a time on, and the one before. */
  async function stepsFrom(view: View, tokens: readonly Hex[], floor: number): Promise<Map<string, PriceRow[]>> {
    const { rows, since, most } = await tables.newestPrices(view, tokens);
    const steps = byId(rows, ({ token }) => token);
    const lengthOf = (token: Hex): number => steps.get(token)?.length ?? 0;
    // Most tokens have few steps in a day, which one look finds together with the step before.
    const rest = tokens.filter((token) => {
      const own = steps.get(token) ?? [];
      const from = indexBefore(own, floor);
      if (from > 0) steps.set(token, own.slice(from));
      return from < 0 && (since > 0 || own.length === most);
    });
    if (rest.length === 0) return steps;
    // Of a token with fewer rows in the newest groups than were asked for, all were seen.
    const many = rest.filter((token) => lengthOf(token) === most);
    const few = rest.filter((token) => lengthOf(token) < most);
    const [recent, older, later] = await Promise.all([
      many.length === 0 ? [] : tables.prices(view, many, floor),
      few.length === 0 ? [] : tables.prices(view, few, floor, true),
      tables.priceSteps(view, rest, floor, MOST_STEPS + 1),
    ]);
    const others = byId([...recent, ...older, ...later], ({ token }) => token);
    for (const token of rest) steps.set(token, others.get(token) ?? []);
    return steps;
  }

  /** What the last block before a time left; a place without steps that reach so far back has `undefined`. */
  const priceBefore = async (view: View, token: Hex, time: number): Promise<PriceRow | null | undefined> => {
    const floor = states.time - RECENT_MS;
    const found = await states.one<PriceSteps, { row: PriceRow | null } | null>(
      { key: stepsOf(token), ids: [token] },
      {
        load: async () => {
          const steps = await batches.read<PriceRow[]>({
            ...{ kind: 'price-steps', seq: view.seq, ids: [token], most: MOST_LONG },
            read: (all) => stepsFrom(view, all, floor),
          });
          const own = steps.get(token) ?? [];
          return own.length > MOST_STEPS ? new UncacheableState() : new PriceSteps(token, floor, own);
        },
        answer: (steps) => (steps.reaches(time) ? { row: steps.before(time) } : null),
      },
    );
    return found?.row;
  };

  /** The newest prices where steps are held, which end with these; and the tokens of which none are. */
  function heldPrices(tokens: readonly Hex[]): { rows: PriceRow[]; others: Hex[] } {
    const others: Hex[] = [];
    const rows = [...new Set(tokens)].flatMap((token) => {
      const steps = states.loaded<PriceSteps>(stepsOf(token));
      if (steps === null) others.push(token);
      return steps?.newest() ?? [];
    });
    return { rows, others };
  }

  /** Prices as the last block before a time left them. */
  async function pricesBefore(view: View, tokens: readonly Hex[], time: number): Promise<PriceRow[]> {
    const found = await Promise.all(tokens.map((token) => priceBefore(view, token, time)));
    const asked = tokens.filter((_, index) => found[index] === undefined);
    const rows = found.flatMap((row) => row ?? []);
    return asked.length === 0 ? rows : [...rows, ...(await tables.prices(view, asked, time))];
  }

  /** The part of the past that a time is in: parts are loaded one by one, and the next before it is needed. */
  const referencePart = (view: View, index: number, before: number): Promise<readonly ReferencePrice[] | null> =>
    states.one<ReferenceSteps, readonly ReferencePrice[]>(
      { key: `reference-steps ${index}`, ids: [REFERENCES] },
      {
        load: async () => {
          const [from, to] = [index * PART_MS, (index + 1) * PART_MS];
          const [first, steps] = await Promise.all([
            tables.references(view, from),
            tables.referenceSteps(view, from, to),
          ]);
          return new ReferenceSteps(first, steps, to);
        },
        answer: (part) => part.before(before),
      },
    );

  async function references(view: View, before?: number): Promise<ReferencePrice[]> {
    if (before === undefined) {
      const found = await states.one<NewestRow<ReferencePrice[]>, ReferencePrice[] | null>(
        { key: 'references', ids: [REFERENCES] },
        {
          load: async () =>
            new NewestRow(await tables.references(view), ({ facts }) =>
              facts.references.length > 0 ? [...facts.references] : undefined,
            ),
          answer: ({ row }) => row,
        },
      );
      return found ?? tables.references(view);
    }
    if (before < states.time - RECENT_MS) return tables.references(view, before);
    const index = Math.floor((before - 1) / PART_MS);
    const next = before + PART_MS / 2;
    const ahead = Math.floor((next - 1) / PART_MS);
    // No read waits for it; a failure is that of the read which needs it.
    if (ahead > index && next <= states.time) referencePart(view, ahead, next).catch(() => undefined);
    const found = await referencePart(view, index, before);
    return found === null ? tables.references(view, before) : [...found];
  }

  async function referenceAt(view: View, token: Hex, times: readonly number[]): Promise<(bigint | null)[]> {
    const unique = [...new Set(times)];
    const found = await states.get<UsdRow, Map<number, bigint | null>>(
      // No block to come has an earlier time than the last one.
      unique.map((time) => ({ key: `reference ${token} ${time}`, ids: time > states.time ? [REFERENCES] : [] })),
      {
        load: async (missing) => {
          const asked = missing.map((index) => unique[index]!);
          const prices = await tables.referenceAt(view, token, asked);
          return asked.map(
            (time, index): UsdRow =>
              new NewestRow<{ usd: bigint | null }>({ usd: prices[index] ?? null }, ({ facts }) =>
                facts.time < time ? facts.references.find((price) => price.token === token) : undefined,
              ),
          );
        },
        answer: (rows) => new Map(unique.map((time, index) => [time, usdOf(rows[index]!)])),
      },
    );
    if (found === null) return tables.referenceAt(view, token, times);
    return times.map((time) => found.get(time) ?? null);
  }

  return { heldPrices, pricesBefore, references, referenceAt };
}

const usdOf = (state: UsdRow | UncacheableState): bigint | null =>
  state instanceof UncacheableState ? null : (state.row?.usd ?? null);
