/** A larger message closes the connection with 1009. */
export const MAX_MESSAGE_BYTES = 64 * 1024;
/** How long a closing connection may take to say goodbye, and what is left to be sent to go out. */
export const GOODBYE_MS = 5_000;
