import type { Reply, RouterHarness } from './router-harness.js';

export type Parameters = Record<string, unknown>;

/** Asks for quotes that differ from the usual one, by GET and by POST, and says what is wrong with the answers. */
export function quoteAsker(harness: () => RouterHarness) {
  /** In both forms, unless a value is not text: then a body is the only way. */
  const ask = async (changes: Parameters, absent: readonly string[] = []): Promise<Reply[]> => {
    const parameters: Parameters = { ...harness().usual(), ...changes };
    for (const name of absent) delete parameters[name];
    const posted = await harness().post('/evm/quote', parameters);
    if (Object.values(parameters).some((value) => typeof value !== 'string')) return [posted];
    return [await harness().get(`/evm/quote?${new URLSearchParams(parameters as Record<string, string>)}`), posted];
  };
  const refused = async (error: string, names: string, changes: Parameters, absent?: readonly string[]) => {
    for (const answer of await ask(changes, absent)) {
      const status = error === 'no_route' ? 404 : 400;
      expect({ changes, status: answer.status, error: answer.body.error }).toEqual({ changes, status, error });
      expect(Object.keys(answer.body)).toEqual(['error', 'reason']);
      expect(answer.body.reason).toContain(names);
    }
  };
  const accepted = async (changes: Parameters, expected: object = {}, absent?: readonly string[]) => {
    for (const answer of await ask(changes, absent)) {
      expect({ changes, status: answer.status, reason: answer.body.reason }).toEqual({ changes, status: 200 });
      expect(answer.body).toMatchObject(expected);
    }
  };
  return { ask, refused, accepted };
}

/** Labels of the venues that a quote goes over. */
export const labels = (body: { routePlan: { swapInfo: { label: string } }[] }): string[] => [
  ...new Set(body.routePlan.map((step) => step.swapInfo.label)),
];
