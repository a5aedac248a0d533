/** Checks a caller against what an operation accepts: 401 without credentials, 403 with the wrong ones. */
import {
  type Access,
  type CredentialKind,
  custodySignedText,
  MarketError,
  type OperationSpec,
  type SignatureTier,
  signatureTierOf,
} from '@market/contract';
import { actingWallet, type Caller, isSomebody, type WalletCaller } from './caller.ts';
import type { Credentials } from './credentials.ts';
import { noAgentChosen } from './no-agent-chosen.ts';

const words: Record<Exclude<CredentialKind, 'anonymous' | 'wallet'>, string> = {
  api_key: 'an agent API key (Authorization: Bearer market_…)',
  idp: 'an identity-provider token (Authorization: Bearer …, cookie idp-token, or idp_access_token in the body)',
  admin: 'an administrator’s sign-in',
  admin_key: 'the operators’ key (Authorization: Bearer admin_…)',
  order_token: 'the token of the order (Authorization: Bearer buyer_… or order_…)',
};

const signatureWords: Record<SignatureTier, string> = {
  ordinary: 'a wallet signature (wallet, wallet_sig, wallet_sig_ts, or the header SIGN-IN-WITH-X)',
  single_use: 'a wallet signature that no other call has shown (wallet, wallet_sig, wallet_sig_ts, or the header SIGN-IN-WITH-X)',
  custody: 'a custody signature: of the wallet, over this very call (wallet, wallet_sig, wallet_sig_ts)',
  action: 'a signed message of POST /api/auth/challenge (wallet, signed_message, wallet_sig)',
};

export function requireAccess(spec: OperationSpec, caller: Caller): void {
  const { access } = spec;
  refuseInactiveAgent(access, caller);
  if (isAccepted(access, caller)) return;
  if (caller.connection !== undefined && caller.agent === undefined && access.accepts.includes('api_key'))
    throw noAgentChosen(caller.connection);
  if (caller.cookieProblem !== undefined && access.accepts.includes('idp')) throw caller.cookieProblem;
  const wordsOf = (kind: CredentialKind) => (kind === 'wallet' ? signatureWords[signatureTierOf(spec)] : words[kind as keyof typeof words]);
  const wanted = access.accepts.map(wordsOf).join(', or ');
  if (caller.walletElsewhere !== undefined && access.accepts.includes('wallet')) throw provenElsewhere(caller.walletElsewhere);
  if (isSomebody(caller))
    throw new MarketError('wrong_credential', { message: `These credentials are valid, but this call takes ${wanted}.` });
  throw new MarketError('unauthenticated', { message: `This call needs ${wanted}.` });
}

/** Whether the operation accepts one of the caller's credentials. */
export function isAccepted(access: Access, caller: Caller): boolean {
  return access.accepts.some((kind) => holds(caller, kind, access));
}

/** Drops a read-only token from calls that do more than read. */
export function withoutReadToken({ effects, rest, access }: OperationSpec, caller: Caller): Caller {
  if (caller.orderReadOnly !== true || (effects.kind === 'read' && rest.method === 'GET')) return caller;
  const { orderId: _order, orderReadOnly: _readOnly, ...others } = caller;
  if (isSomebody(others) || access.accepts.includes('anonymous')) return others;
  throw new MarketError('wrong_credential', {
    message:
      'This token only reads its order. To act on it, sign with the wallet that paid, or send the buyer_token as bearer if the hire gave one.',
  });
}

function refuseInactiveAgent(access: Access, caller: Caller): void {
  if (caller.agent?.active === false && access.inactiveAgents !== true) throw new MarketError('invalid_api_key');
}

function holds(caller: Caller, kind: CredentialKind, access: Access): boolean {
  switch (kind) {
    case 'anonymous':
      return true;
    case 'api_key':
      return caller.agent !== undefined;
    case 'idp':
      return caller.user !== undefined;
    case 'wallet':
      // An operation that takes an order token is about one order, and the order knows the network it was paid on.
      return actingWallet(caller) !== undefined || (caller.walletElsewhere !== undefined && access.accepts.includes('order_token'));
    case 'order_token':
      return caller.orderId !== undefined;
    case 'admin':
      return caller.user?.admin === true;
    case 'admin_key':
      return caller.operatorKey === true;
  }
}

function provenElsewhere({ address, provenOn = [] }: WalletCaller): MarketError {
  const networks = provenOn.map(({ network }) => network).join(', ');
  return new MarketError('wrong_credential', {
    message: `The contract wallet ${address} is proven on ${networks} only. It may act on orders it paid there; anything else needs a signature the contract confirms on Base.`,
  });
}

/** Logs and browser histories keep URLs, so a signature in the query string may only read. */
export function refuseSignatureInQuery({ effects, rest }: OperationSpec, { signature }: Credentials): void {
  if (signature?.from !== 'query' || (effects.kind === 'read' && rest.method === 'GET')) return;
  throw new MarketError('invalid_signature', {
    message: 'A signature in the query string may only read. Send it in the body or in the headers X-Market-Wallet, -Sig and -Sig-Ts.',
  });
}

/** The refusal of a custody action without its own signature: it shows exactly what to sign. */
export async function custodySignatureRefusal(
  credentials: Credentials,
  { host, now, wallet }: { readonly host: string; readonly now: Date; readonly wallet?: string | undefined },
): Promise<MarketError> {
  const signer = wallet ?? (typeof credentials.signature?.wallet === 'string' ? credentials.signature.wallet : '<wallet>');
  const text = await custodySignedText({ host, wallet: signer, timestampMs: now.getTime(), ...credentials.request });
  return new MarketError('custody_signature_required', {
    message: `This action needs a wallet signature over the action itself. Sign this text, replacing the time with the current Unix milliseconds, and send it as wallet_sig_ts: ${text}`,
    data: { text_to_sign: text, wallet: signer, wallet_sig_ts: now.getTime() },
  });
}
