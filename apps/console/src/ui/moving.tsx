import { useEffect, useRef } from 'preact/hooks';

const blinking = new Map<HTMLElement, 'rose' | 'fell'>();

/** Together with all that change now: reading the layout, which makes the browser start an animation again, costs as much as the page has. */
function blink(element: HTMLElement, way: 'rose' | 'fell'): void {
  if (blinking.size === 0) queueMicrotask(blinkAll);
  blinking.set(element, way);
}

function blinkAll(): void {
  for (const { classList } of blinking.keys()) classList.remove('rose', 'fell');
  void document.body.offsetWidth;
  for (const [{ classList }, way] of blinking) classList.add(way);
  blinking.clear();
}

/** A number that blinks in the colour of its direction when it changes. */
export function Moving({ value, text, title }: { value: number | null; text: string; title?: string }) {
  const element = useRef<HTMLSpanElement>(null);
  const before = useRef(value);
  useEffect(() => {
    const [from, to] = [before.current, value];
    before.current = value;
    if (from === null || to === null || from === to) return;
    blink(element.current!, to > from ? 'rose' : 'fell');
  }, [value]);
  return (
    <span ref={element} class="moving" title={title ?? (value === null ? undefined : String(value))}>
      {text}
    </span>
  );
}
