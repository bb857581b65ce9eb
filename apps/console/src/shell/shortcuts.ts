import { swapHome } from '../state/route.js';
import { switchTheme } from '../state/theme.js';
import { pageKey } from '../ui/page-keys.js';
import { openHelp } from './help-dialog.js';

const go = (link: string): void => {
  location.hash = link;
};

/**
 * Single keys work wherever nothing is being typed; those of the open page come first. The arrows move between the links
 * of the list that is marked with `data-list`.
 */
const everywhere: Readonly<Record<string, () => void>> = {
  '/': () => document.querySelector<HTMLInputElement>('#search')?.focus(),
  '?': openHelp,
  d: switchTheme,
  t: () => go('#/'),
  h: () => go('#/trending'),
  l: () => go('#/launches'),
  x: () => go(swapHome.value),
  r: () => go('#/receipts'),
  s: () => go('#/status'),
};

const moves: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

export function listenToKeys(): () => void {
  const listen = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isTyping(event.target) || document.querySelector('dialog[open]') !== null) return;
    const step = moves[event.key];
    const act = pageKey(event.key) ?? everywhere[event.key];
    if (step !== undefined) {
      if (!moveInList(step)) return;
    } else if (act !== undefined) act();
    else return;
    event.preventDefault();
  };
  addEventListener('keydown', listen);
  return () => removeEventListener('keydown', listen);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** False where the page has no list, so that the arrows scroll it as usual. */
function moveInList(step: number): boolean {
  const links = [...document.querySelectorAll<HTMLElement>('[data-list] [data-item]')];
  if (links.length === 0) return false;
  const at = links.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? (step > 0 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, at + step));
  links[next]!.focus();
  links[next]!.scrollIntoView({ block: 'nearest' });
  return true;
}
