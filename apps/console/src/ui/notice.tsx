import type { ComponentChildren } from 'preact';

interface NoticeProps {
  title: string;
  tone?: 'plain' | 'error' | 'waiting';
  /** The page is nothing else: its title is that of the page. */
  alone?: boolean;
  children?: ComponentChildren;
}

/** Shown in the place of data: why there is none, and the next step. */
export function Notice({ title, tone = 'plain', alone = false, children }: NoticeProps) {
  return (
    <section class={`notice notice-${tone}`} role={tone === 'error' ? 'alert' : 'status'}>
      {tone === 'waiting' && <span class="ripple" aria-hidden="true" />}
      {alone ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children !== undefined && <p>{children}</p>}
    </section>
  );
}
