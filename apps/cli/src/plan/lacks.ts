import type { NodeReport } from '#libs/chain/chains/probe/report.js';

const whole = (value: number): string => value.toLocaleString('en-US');

/** Sizes below these cost requests: a reader asks for as much where it may. */
const ENOUGH: Readonly<Record<string, number>> = {
  'blocks in a range of logs': 2_000,
  'slots in a range of blocks': 1_000,
  'calls in a list': 16,
  'addresses in a filter': 100,
  'accounts in a question': 100,
};

/** What a node lacks, in sentences: what, how that was seen, and what it is needed for. */
export function lacksOf(
  report: Pick<NodeReport, 'capabilities' | 'depths' | 'limits' | 'headSpread' | 'wishedFrom' | 'ways'>,
): string[] {
  const { capabilities, depths, limits, headSpread, wishedFrom, ways } = report;
  const lacks: string[] = [];
  for (const { name, has, seen, need } of capabilities) {
    if (has === false) lacks.push(`${name}: ${seen} (needed for ${need})`);
  }
  for (const { name, need, oldest, sentence, unfinished } of depths) {
    if (oldest === wishedFrom) continue;
    const where = oldest === null ? 'none at all' : `${unfinished ? 'about ' : ''}from ${whole(oldest)} on only`;
    lacks.push(`${name} ${where}: ${sentence} (needed ${need})`);
  }
  for (const { name, size, refused } of limits) {
    if (refused === null || size >= (ENOUGH[name] ?? 0)) continue;
    lacks.push(`${name}: ${whole(size)} at most, ${whole(refused.size)} refused: ${refused.sentence}`);
  }
  for (const { name, refused } of ways) {
    if (refused !== null) lacks.push(`reading by ${name}: ${refused}`);
  }
  if (headSpread > 1) {
    lacks.push(
      `one head: answers of one moment were ${whole(headSpread)} blocks apart, so that several machines answer`,
    );
  }
  return lacks;
}
