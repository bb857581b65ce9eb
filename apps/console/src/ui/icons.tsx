/** Line icons, 20 units wide, in the colour of the text around them. */
const shapes = {
  search: 'M9 3.5a5.5 5.5 0 1 1 0 11a5.5 5.5 0 0 1 0-11M13.2 13.2 17 17',
  sun: 'M10 6.5a3.5 3.5 0 1 1 0 7a3.5 3.5 0 0 1 0-7M10 1.8v1.7M10 16.5v1.7M1.8 10h1.7M16.5 10h1.7M4.2 4.2l1.2 1.2M14.6 14.6l1.2 1.2M15.8 4.2l-1.2 1.2M5.4 14.6l-1.2 1.2',
  moon: 'M16.8 11.6A7 7 0 0 1 8.4 3.2a7 7 0 1 0 8.4 8.4Z',
  copy: 'M7.5 7.5h8v8h-8zM12.5 7.5v-3h-8v8h3',
  check: 'M4.5 10.5 8.5 14.5 15.5 6',
  back: 'M12 4.5 6.5 10l5.5 5.5',
  up: 'M10 15.5v-11M5.5 9 10 4.5 14.5 9',
  down: 'M10 4.5v11M5.5 11l4.5 4.5 4.5-4.5',
  turn: 'M7 3.5v13M3.5 13 7 16.5 10.5 13M13 16.5v-13M9.5 7 13 3.5 16.5 7',
  open: 'M5.5 8 10 12.5 14.5 8',
  fork: 'M6 3.5v13M6 12c0-3.5 8-2 8-6.5V3.5M11.5 6 14 3.5 16.5 6',
} as const;

export function Icon({ name }: { name: keyof typeof shapes }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={shapes[name]} />
    </svg>
  );
}

export function Wordmark() {
  return (
    <>
      <svg class="logo" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
        <path d="M3 11.5c4.3-4.6 8.7-4.6 13 0s8.7 4.6 13 0" />
        <path d="M7 18.7c3-3.1 6-3.1 9 0s6 3.1 9 0" opacity=".65" />
        <path d="M11.4 25.2c1.5-1.5 3.1-1.5 4.6 0s3.1 1.5 4.6 0" opacity=".4" />
      </svg>
      <span>Tidepool</span>
    </>
  );
}
