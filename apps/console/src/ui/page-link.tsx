/** A link of a navigation, marked where its page is the open one. */
export function PageLink({ href, name, open }: { href: string; name: string; open: boolean }) {
  return (
    <a href={href} aria-current={open ? 'page' : undefined}>
      {name}
    </a>
  );
}

/** The two pages of launches: the boards, and a new one. */
export function LaunchTabs({ current }: { current: 'boards' | 'launch' }) {
  return (
    <nav class="tabs" aria-label="Launches">
      <PageLink href="#/launches" name="Boards" open={current === 'boards'} />
      <PageLink href="#/launch" name="Launch" open={current === 'launch'} />
    </nav>
  );
}
