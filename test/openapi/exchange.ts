/** One request and its answer, as sent. */
export interface Exchange {
  readonly method: string;
  readonly url: URL;
  readonly requestHeaders: Headers;
  readonly requestBody: Buffer<ArrayBuffer>;
  readonly status: number;
  readonly responseHeaders: Headers;
  readonly responseBody: Buffer<ArrayBuffer>;
}
