/** The credentials of a call as its transport read them, unverified. The resolver reads nothing else. */
export interface Credentials {
  readonly clientAddress: string;
  readonly bearer?: string;
  /** An access token of our own authorization server. Only the MCP surface reads it, because its audience is that surface. */
  readonly connectionToken?: string;
  /** Counted by rate limits instead of the client address, once a transport knows the caller. Some limits always count the address. */
  readonly countedAs?: string;
  /** A bearer token in the body, as browsers without header access send it. */
  readonly bodyToken?: string;
  /** The token of an order in the query string of a GET. */
  readonly readToken?: string;
  readonly tokenCookie?: string;
  readonly sessionCookie?: string;
  readonly signature?: SignatureCarrier;
  /** The `sign-in-with-x` header as sent. */
  readonly signIn?: string;
  /** The sandbox demo sends this to bypass the rate limits. */
  readonly sandboxPass?: string;
  /** The request as a custody signature covers it: the operation's REST binding, whatever the transport. */
  readonly request: { readonly method: string; readonly path: string; readonly body: unknown };
}

export interface SignatureCarrier {
  readonly from: 'headers' | 'body' | 'query';
  readonly wallet?: unknown;
  readonly wallet_sig?: unknown;
  readonly wallet_sig_ts?: unknown;
  readonly wallet_chain?: unknown;
  /** An action message; replaces the time of signing. */
  readonly signed_message?: unknown;
}

/** Body fields that carry credentials on any operation; they are taken out before the body is validated. */
export const credentialFields = ['wallet', 'wallet_sig', 'wallet_sig_ts', 'wallet_chain', 'signed_message', 'idp_access_token'] as const;

/** The query parameter that carries the token of an order on a GET. */
export const READ_TOKEN_PARAMETER = 'read_token';

export const API_KEY_PREFIX = 'market_';
/** Prefix of a token that reads one order. Tokens issued before migration 0054 may also act, as bearer. */
export const ORDER_TOKEN_PREFIX = 'order_';
/** Prefix of a token that acts as the buyer of one order. */
export const BUYER_TOKEN_PREFIX = 'buyer_';
export const ADMIN_KEY_PREFIX = 'admin_';
