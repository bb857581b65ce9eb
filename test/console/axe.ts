import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Found {
  passes: unknown[];
  violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
}

/**
 * What axe-core finds on a page as it is shown now: each rule that is broken, with where. Motion is reduced meanwhile: what
 * is still fading in has too little contrast.
 */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(source);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const { passes, violations } = (await page.evaluate('axe.run(document)')) as Found;
  await page.emulateMedia({ reducedMotion: null });
  if (passes.length === 0) throw new Error('axe found nothing to look at');
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}
