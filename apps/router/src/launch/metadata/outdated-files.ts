import type { WaitingFile } from '#libs/protocol/launch-files.js';

const DAY_MS = 86_400_000;

/** How long a file waits for its token, and how many and how large all of them may be. */
export const WAITING_BOUNDS = { ms: 30 * DAY_MS, files: 20_000, bytes: 64 * 1_048_576 };
/** So many go with one create at most: each create adds one. */
const MOST_AT_ONCE = 500;

/**
 * Which waiting files go when another one comes, the oldest first: those above the bounds, and those whose time has passed while the
 * tokens of their chain were looked at. Where nothing looks at them, a token may be there without being seen: no time ends
 * such a wait.
 */
export function outdatedFiles(
  waiting: ReadonlyMap<string, WaitingFile>,
  followedTimes: ReadonlyMap<string, number>,
  comes: { readonly name: string; readonly bytes: number },
  now: number,
  bounds = WAITING_BOUNDS,
): string[] {
  const others = [...waiting].filter(([name]) => name !== comes.name);
  let files = others.length + 1;
  let bytes = others.reduce((sum, [, file]) => sum + file.bytes, comes.bytes);
  const gone: string[] = [];
  for (const [name, file] of others) {
    if (gone.length === MOST_AT_ONCE) break;
    const end = file.at + bounds.ms;
    const above = files > bounds.files || bytes > bounds.bytes;
    if (!above && (now < end || (followedTimes.get(file.chain) ?? 0) < end)) continue;
    gone.push(name);
    files--;
    bytes -= file.bytes;
  }
  return gone;
}
