import { computed, effect, signal } from '@preact/signals';

/** Dark or light: what the system prefers, until the user chooses; the choice is kept on this device. */
export type Theme = 'dark' | 'light';

const SLOT = 'tidepool.theme';
const prefersLight = matchMedia('(prefers-color-scheme: light)');

const system = signal<Theme>(prefersLight.matches ? 'light' : 'dark');
const chosen = signal<Theme | null>(readChoice());

export const theme = computed<Theme>(() => chosen.value ?? system.value);

export function switchTheme(): void {
  const next = theme.value === 'dark' ? 'light' : 'dark';
  // Back at what the system prefers there is no choice to keep.
  chosen.value = next === system.value ? null : next;
  if (chosen.value === null) localStorage.removeItem(SLOT);
  else localStorage.setItem(SLOT, chosen.value);
}

export function followTheme(): void {
  prefersLight.addEventListener('change', ({ matches }) => {
    system.value = matches ? 'light' : 'dark';
  });
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
  });
}

function readChoice(): Theme | null {
  const kept = localStorage.getItem(SLOT);
  return kept === 'dark' || kept === 'light' ? kept : null;
}
