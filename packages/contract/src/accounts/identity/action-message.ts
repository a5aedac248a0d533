/** The message a wallet signs for an action that outlives the request: EIP-4361 on EVM, its twin on Solana. */
import type { WalletChain } from '../../kernel/wallets.ts';
import type { SignedAction } from './schema.ts';

export interface ActionSubject {
  readonly action: SignedAction;
  /** The account, for actions about an account. */
  readonly account?: string;
  /** The account's name for people, shown if EIP-4361 allows its characters. */
  readonly accountLabel?: string;
  readonly agentId?: string;
}

export interface ActionMessage extends ActionSubject {
  readonly origin: string;
  readonly serviceName: string;
  readonly chain: WalletChain;
  readonly wallet: string;
  /** The value after `Chain ID:` in the standard's format. */
  readonly chainId: string;
  readonly nonce: string;
  readonly issuedAt: string;
  readonly expiresAt: string;
}

const paths = {
  session: '/api/auth/session',
  link_wallet: '/api/auth/wallets',
  link_agent: '/api/agents/link',
  own_agent: '/api/agents/me',
} as const satisfies Record<SignedAction, string>;

/** Writes the field `Request ID`; `readRequestId` reads the action back from it. */
export function requestIdOf({ action, account = '', agentId = '' }: ActionSubject): string {
  const parts = { session: [], link_wallet: [account], link_agent: [agentId, account], own_agent: [agentId] } as const;
  return [action, ...parts[action].map(encodeURIComponent)].join(':');
}

/** Returns undefined for a text that `requestIdOf` did not write. */
export function readRequestId(text: string): ActionSubject | undefined {
  const [action = '', first = '', second = '', ...more] = text.split(':').map(decode);
  if (more.length > 0) return undefined;
  switch (action) {
    case 'session':
      return { action };
    case 'link_wallet':
      return { action, account: first };
    case 'link_agent':
      return { action, agentId: first, account: second };
    case 'own_agent':
      return { action, agentId: first };
    default:
      return undefined;
  }
}

/** Reads a text that `actionMessageText` wrote. Returns undefined for any text that differs, even in a single byte. */
export function readActionMessage(text: string): ActionMessage | undefined {
  const lines = text.split('\n');
  const fieldOf = (name: string): string => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
  const subject = readRequestId(fieldOf('Request ID'));
  const uri = fieldOf('URI');
  if (subject === undefined || !uri.endsWith(paths[subject.action])) return undefined;
  const [, serviceName = ''] = /^Sign in to (.+) for 7 days: /.exec(lines[3] ?? '') ?? [];
  const [, accountLabel] = / the account (\S+) \(/.exec(lines[3] ?? '') ?? [];
  const message: ActionMessage = {
    ...subject,
    ...(accountLabel !== undefined && { accountLabel }),
    origin: uri.slice(0, -paths[subject.action].length),
    serviceName,
    chain: lines[0]?.endsWith(' Solana account:') === true ? 'solana' : 'base',
    wallet: lines[1] ?? '',
    chainId: fieldOf('Chain ID'),
    nonce: fieldOf('Nonce'),
    issuedAt: fieldOf('Issued At'),
    expiresAt: fieldOf('Expiration Time'),
  };
  try {
    return actionMessageText(message) === text ? message : undefined;
  } catch {
    return undefined; // The origin is no address.
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

export function actionMessageText(message: ActionMessage): string {
  const { origin, wallet, chain, chainId, nonce, issuedAt, expiresAt } = message;
  return [
    `${new URL(origin).host} wants you to sign in with your ${chain === 'solana' ? 'Solana' : 'Ethereum'} account:`,
    wallet,
    '',
    statementOf(message),
    '',
    `URI: ${origin}${paths[message.action]}`,
    'Version: 1',
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt}`,
    `Expiration Time: ${expiresAt}`,
    `Request ID: ${requestIdOf(message)}`,
  ].join('\n');
}

function statementOf(message: ActionMessage): string {
  const { action, serviceName, agentId = '' } = message;
  switch (action) {
    case 'session':
      return `Sign in to ${ascii(serviceName)} for 7 days: read, act, pay and set limits as this wallet. Moving held money asks again.`;
    case 'link_wallet':
      return `Link this wallet to ${nameOfAccount(message)}. It will see this wallet's orders and deposits, act in its orders and use its new transfers. It cannot move money this wallet holds here.`;
    case 'link_agent':
      return `Make ${nameOfAccount(message)} an owner of the agent ${agentId}, beside this wallet. Its API key is replaced.`;
    case 'own_agent':
      return `Make this wallet the owner of the agent ${agentId}. Its API key is replaced.`;
  }
}

/** Leaves out long labels and special characters: EIP-4361 limits the characters of a statement, hardware wallets its bytes. */
function nameOfAccount({ account = '', accountLabel }: ActionSubject): string {
  const isShowable = accountLabel !== undefined && /^[A-Za-z0-9@._+-]{1,64}$/.test(accountLabel);
  return isShowable ? `the account ${accountLabel} (${ascii(account)})` : `the account ${ascii(account)}`;
}

function ascii(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?');
}
