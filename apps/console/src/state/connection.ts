import { computed, signal } from '@preact/signals';
import type { LiveState } from '#libs/serve/client/live-state.js';
import { now } from './clock.js';

/**
 * The page's connection to the service, in one sentence that is always visible. On a page with live data the socket
 * decides, elsewhere the requests that refresh the page do; if any of them is lost, the sentence says so.
 */
export type Connection =
  | { kind: 'connecting'; text: string }
  | { kind: 'live'; text: string }
  | { kind: 'lost'; text: string }
  | { kind: 'back'; text: string };

/** A refresh that failed: when it is tried again. */
interface PollTrouble {
  readonly retryAt: number;
}

/** How long it is said that the connection is back. */
const BACK_MS = 6_000;

const live = signal<LiveState>({ name: 'idle' });
/** Of every refresh on the page that failed, by what it refreshes. */
const troubles = signal<ReadonlyMap<object, PollTrouble>>(new Map());
const answered = signal(false);
/** When a lost connection of the requests came back, and what it meant. */
const back = signal<{ at: number; text: string } | null>(null);

export function liveChanged(state: LiveState): void {
  live.value = state;
  if (state.name === 'live' && state.recovery !== null && state.recovery.outcome !== 'pending') {
    const { outcome } = state.recovery;
    back.value = { at: Date.now(), text: outcome === 'nothing missed' ? 'back, nothing missed' : 'back, all reloaded' };
  }
}

export function pollFailed(who: object, retryAt: number): void {
  troubles.value = new Map(troubles.peek()).set(who, { retryAt });
}

export function pollAnswered(who: object): void {
  answered.value = true;
  if (!troubles.peek().has(who)) return;
  pollForgotten(who);
  const socket = live.peek().name;
  // Where a socket runs, it says by itself whether something was missed.
  if (troubles.peek().size === 0 && socket === 'idle') back.value = { at: Date.now(), text: 'back, up to date' };
}

/** The page that refreshed it is left. */
export function pollForgotten(who: object): void {
  if (!troubles.peek().has(who)) return;
  const rest = new Map(troubles.peek());
  rest.delete(who);
  troubles.value = rest;
}

export const connection = computed<Connection>(() => describe(live.value, [...troubles.value.values()], now.value));

function describe(socket: LiveState, failed: readonly PollTrouble[], time: number): Connection {
  const retries = failed.map(({ retryAt }) => retryAt);
  if (socket.name === 'lost') {
    const reason = socket.attempt > 2 ? ` (${socket.reason})` : '';
    return { kind: 'lost', text: `connection lost${reason}, ${retryText(socket.retryAt, time)}` };
  }
  if (retries.length > 0) return { kind: 'lost', text: `connection lost, ${retryText(Math.min(...retries), time)}` };
  const pending = socket.name === 'live' && socket.recovery?.outcome === 'pending';
  if (pending) return { kind: 'connecting', text: 'back, catching up' };
  if (back.value !== null && time - back.value.at < BACK_MS && socket.name !== 'connecting') {
    return { kind: 'back', text: back.value.text };
  }
  if (socket.name === 'live' || (socket.name === 'idle' && answered.value)) return { kind: 'live', text: 'live' };
  return { kind: 'connecting', text: 'connecting' };
}

export function retryText(retryAt: number | null, time: number): string {
  const seconds = retryAt === null ? 0 : Math.ceil((retryAt - time) / 1000);
  return seconds <= 0 ? 'trying again now' : `trying again in ${seconds} s`;
}
