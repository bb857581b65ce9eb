import { useEffect, useRef } from 'preact/hooks';

/** A number that blinks in the colour of its direction when it changes. */
export function Moving({ value, text, title }: { value: number | null; text: string; title?: string }) {
  const element = useRef<HTMLSpanElement>(null);
  const before = useRef(value);
  useEffect(() => {
    const [from, to] = [before.current, value];
    before.current = value;
    if (from === null || to === null || from === to) return;
    const { classList } = element.current!;
    classList.remove('rose', 'fell');
    // Reading the layout makes the browser start the animation again.
    void element.current!.offsetWidth;
    classList.add(to > from ? 'rose' : 'fell');
  }, [value]);
  return (
    <span ref={element} class="moving" title={title ?? (value === null ? undefined : String(value))}>
      {text}
    </span>
  );
}
