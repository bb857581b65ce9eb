import { connection } from '../state/connection.js';

/** Always visible: whether the page shows current data. The countdown is shown, but not read out every second. */
export function ConnectionLine() {
  const { kind, text } = connection.value;
  const spoken = kind === 'lost' ? 'connection lost' : text;
  return (
    <div class={`connection connection-${kind}`} data-connection={kind} title={text}>
      <span class="dot" aria-hidden="true" />
      <span class="connection-text" aria-hidden="true">
        {text}
      </span>
      <span class="unseen" role="status">
        {spoken}
      </span>
    </div>
  );
}
