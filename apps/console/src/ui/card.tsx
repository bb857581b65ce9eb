import type { ComponentChildren } from 'preact';

interface CardProps {
  /** Of its title, which names the card. */
  id: string;
  title: ComponentChildren;
  /** Next to the title. */
  aside?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
  [data: `data-${string}`]: string | undefined;
}

/** A titled part of a page. */
export function Card({ id, title, aside, class: kind, children, ...data }: CardProps) {
  return (
    <section class={kind === undefined ? 'card' : `card ${kind}`} aria-labelledby={id} {...data}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
