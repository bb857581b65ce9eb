import type { ComponentChildren } from 'preact';

/** Shown in the place of data: why there is none, and the next step. */
export function Notice(props: { title: string; tone?: 'plain' | 'error' | 'waiting'; children?: ComponentChildren }) {
  const { title, tone = 'plain', children } = props;
  return (
    <section class={`notice notice-${tone}`} role={tone === 'error' ? 'alert' : 'status'}>
      {tone === 'waiting' && <span class="ripple" aria-hidden="true" />}
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
    </section>
  );
}
