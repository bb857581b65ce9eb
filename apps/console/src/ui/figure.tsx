import type { ComponentChildren } from 'preact';

/** A named figure with a small word on it, inside a <dl>. */
export function Figure(props: { name: string; value: ComponentChildren; note?: ComponentChildren | null }) {
  const { name, value, note } = props;
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd>
        {value}
        {note !== null && note !== undefined && <small>{note}</small>}
      </dd>
    </div>
  );
}
