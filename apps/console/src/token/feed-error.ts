import { ApiError } from '#libs/serve/client/api-error.js';

/** What a live channel refuses, as an answer of REST would say it. */
export const feedError = ({ code, message }: { code: string; message: string }): ApiError =>
  new ApiError(code, message, code === 'not_found' ? 404 : 503);
