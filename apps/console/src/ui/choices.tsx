import type { ComponentChildren } from 'preact';

interface ChoicesProps<T> {
  /** What is chosen, for screen readers. */
  label: string;
  values: readonly T[];
  chosen: T;
  onChoose: (value: T) => void;
  /** On the button; the value itself where it is left out. */
  text?: (value: T) => ComponentChildren;
  class?: string;
}

/** A row of buttons of which one is pressed. */
export function Choices<T extends string | null>(props: ChoicesProps<T>) {
  const { label, values, chosen, onChoose, text = (value) => value, class: kind } = props;
  return (
    <fieldset class={kind === undefined ? 'choices' : `choices ${kind}`} aria-label={label}>
      {values.map((value) => (
        <button key={value} type="button" aria-pressed={value === chosen} onClick={() => onChoose(value)}>
          {text(value)}
        </button>
      ))}
    </fieldset>
  );
}
