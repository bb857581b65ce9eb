import type { AccountUsageRow } from '#libs/serve/contract/rest/account-body.js';

export interface UsageDay {
  day: string;
  requests: number;
  credits: number;
  refused: number;
}

const DAY_MS = 86_400_000;

/** One entry a day (UTC), the oldest first, days without requests included. */
export function usageDays(rows: readonly AccountUsageRow[], days: number, now: number): UsageDay[] {
  const all = Array.from({ length: days }, (_, at): UsageDay => {
    const day = new Date(now - (days - 1 - at) * DAY_MS).toISOString().slice(0, 10);
    return { day, requests: 0, credits: 0, refused: 0 };
  });
  const byDay = new Map(all.map((each) => [each.day, each]));
  for (const { day, requests, credits, refused } of rows) {
    const sum = byDay.get(day);
    if (sum === undefined) continue;
    sum.requests += requests;
    sum.credits += credits;
    sum.refused += refused;
  }
  return all;
}

export interface RouteUsage {
  route: string;
  requests: number;
  credits: number;
  refused: number;
}

/** By operation, the one that costs most first. */
export function usageRoutes(rows: readonly AccountUsageRow[]): RouteUsage[] {
  const byRoute = new Map<string, RouteUsage>();
  for (const { route, requests, credits, refused } of rows) {
    const sum = byRoute.get(route) ?? { route, requests: 0, credits: 0, refused: 0 };
    sum.requests += requests;
    sum.credits += credits;
    sum.refused += refused;
    byRoute.set(route, sum);
  }
  return [...byRoute.values()].sort(
    (a, b) => b.credits - a.credits || b.requests - a.requests || (a.route < b.route ? -1 : 1),
  );
}
