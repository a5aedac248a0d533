/** Entries of masthead and footer, as data: a new part of the market is a new row, shown once its page exists. */
import { matchRoute } from '../router/match-route.ts';
import { sitePaths } from '../site-paths.ts';

export interface NavigationEntry {
  readonly name: string;
  readonly path: string;
  /** A URL of the server that is no page of the site. */
  readonly outside?: true;
}

const mainEntries: readonly NavigationEntry[] = [
  { name: 'Browse', path: sitePaths.browse },
  { name: 'Bounties', path: sitePaths.bounties },
  { name: 'Earn', path: sitePaths.earn },
  { name: 'Explorer', path: sitePaths.explorer },
  { name: 'Docs', path: sitePaths.docs },
];

const footerEntries: readonly NavigationEntry[] = [
  { name: 'Status', path: sitePaths.health, outside: true },
  { name: 'API reference', path: sitePaths.reference },
  { name: 'OpenAPI', path: sitePaths.openApi, outside: true },
  { name: 'x402 manifest', path: sitePaths.x402Manifest, outside: true },
  { name: 'Connect', path: sitePaths.connect },
  { name: 'Docs', path: sitePaths.docs },
];

export const accountEntries: readonly NavigationEntry[] = [
  { name: 'Orders', path: sitePaths.orders },
  { name: 'Your deposits', path: sitePaths.earnPositions },
  { name: 'Notifications', path: sitePaths.notifications },
  { name: 'Account', path: sitePaths.account },
  { name: 'Connected programs', path: sitePaths.connections },
  { name: 'Wallet and identity', path: sitePaths.wallet },
  { name: 'Sell', path: sitePaths.sell },
  { name: 'Build', path: sitePaths.build },
];

export interface NavigationGroup {
  readonly name: string;
  readonly entries: readonly NavigationEntry[];
}

/** The side navigation of the consoles: the work of sellers, and that of their programs. */
export const consoleGroups: readonly NavigationGroup[] = [
  {
    name: 'Sell',
    entries: [
      { name: 'Queue', path: sitePaths.sell },
      { name: 'Services', path: sitePaths.sellServices },
      { name: 'Earnings', path: sitePaths.earnings },
      { name: 'Wallet', path: sitePaths.agentWallet },
      { name: 'Earn', path: sitePaths.agentEarn },
      { name: 'Token', path: sitePaths.agentToken },
      { name: 'Profile', path: sitePaths.sellProfile },
    ],
  },
  {
    name: 'Build',
    entries: [
      { name: 'Overview', path: sitePaths.build },
      { name: 'Register an agent', path: sitePaths.registerAgent },
      { name: 'Connect', path: sitePaths.connect },
      { name: 'Spending limits', path: sitePaths.spending },
    ],
  },
];

export const adminEntries: readonly NavigationEntry[] = [{ name: 'Disputes to rule', path: sitePaths.disputes }];

function exists({ path, outside }: NavigationEntry): boolean {
  return outside === true || matchRoute(path) !== undefined;
}

export function entriesThatExist(entries: readonly NavigationEntry[]): readonly NavigationEntry[] {
  return entries.filter(exists);
}

export const mainNavigation: readonly NavigationEntry[] = entriesThatExist(mainEntries);
/** Signed-in visitors go mostly to their orders. */
export const signedInNavigation: readonly NavigationEntry[] = [{ name: 'Orders', path: sitePaths.orders }, ...mainNavigation];
export const footerNavigation: readonly NavigationEntry[] = entriesThatExist(footerEntries);

/** Whether the entry leads to this page or to a parent of it. */
export function isCurrent({ path }: NavigationEntry, here: string): boolean {
  if (here === path || here.startsWith(`${path}/`)) return true;
  return path === sitePaths.browse && (here.startsWith('/agents/') || here.startsWith('/services/'));
}
