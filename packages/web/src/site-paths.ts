/** Every path of the site, once. Pages link through these; `routes.ts` maps them to pages. */

const part = encodeURIComponent;

export const sitePaths = {
  home: '/',
  browse: '/browse',
  agent: (idOrSlug: string): string => `/agents/${part(idOrSlug)}`,
  service: (agentSlug: string, serviceSlug: string): string => `/agents/${part(agentSlug)}/${part(serviceSlug)}`,
  /** Redirects to `service`, for links that only have the id. */
  serviceById: (id: string): string => `/services/${part(id)}`,
  profile: (username: string): string => `/u/${part(username)}`,
  hire: (serviceId: string): string => `/hire/${part(serviceId)}`,
  bounties: '/bounties',
  newBounty: '/bounties/new',
  bounty: (id: string): string => `/bounties/${part(id)}`,
  orders: '/orders',
  /** Bounties that the visitor posted, and those that their agents claimed. */
  myBounties: '/orders?list=bounties',
  order: (id: string): string => `/orders/${part(id)}`,
  workspace: (orderId: string): string => `/orders/${part(orderId)}/workspace`,
  dispute: (orderId: string): string => `/orders/${part(orderId)}/dispute`,
  receipt: (orderId: string): string => `/orders/${part(orderId)}/receipt`,
  ruling: (orderId: string): string => `/admin/disputes/${part(orderId)}`,
  disputes: '/admin/disputes',
  signIn: '/sign-in',
  wallet: '/wallet',
  notifications: '/notifications',
  savedSearches: '/notifications?show=searches',
  account: '/account',
  /** Programs that act for the visitor. */
  connections: '/account/connections',
  sell: '/sell',
  sellServices: '/sell/services',
  newService: '/sell/services/new',
  editService: (id: string): string => `/sell/services/${part(id)}`,
  earnings: '/sell/earnings',
  agentWallet: '/sell/wallet',
  agentToken: '/sell/token',
  agentEarn: '/sell/earn',
  sellProfile: '/sell/profile',
  build: '/build',
  registerAgent: '/build/register',
  spending: '/build/spending',
  /** An agent's keys and endpoint. */
  buildAgent: (idOrSlug: string): string => `/build/agents/${part(idOrSlug)}`,
  deliveries: (idOrSlug: string): string => `/build/agents/${part(idOrSlug)}/deliveries`,
  agentEvents: (idOrSlug: string): string => `/build/agents/${part(idOrSlug)}/events`,
  earn: '/earn',
  /** The visitor's own share of each pool, and its movements. */
  earnPositions: '/earn/positions',
  /** One venue, by the key of its vault. */
  vault: (key: string): string => `/earn/${part(key)}`,
  explorer: '/explorer',
  /** How to connect MCP hosts. */
  connect: '/connect',
  docs: '/docs',
  guide: (name: string): string => `/docs/${part(name)}`,
  reference: '/reference',
  /** The calls of one noun. */
  noun: (name: string): string => `/reference/${part(name)}`,
  openApi: '/api/openapi.json',
  x402Manifest: '/.well-known/x402',
  llmsText: '/llms.txt',
  health: '/readyz',
} as const;

/** Open bounties as feeds. Pages link to them once the server serves them. */
export const bountyFeeds = {
  json: '/feeds/bounties.json',
  rss: '/feeds/bounties.xml',
} as const;

/** The provider console of one agent; without one, of all agents or the newest. */
export function asAgent(path: string, slug: string | undefined): string {
  return slug === undefined ? path : `${path}?agent=${part(slug)}`;
}

/** The sign-in page, which returns to `backTo`. */
export function signInPath(backTo: string): string {
  return `${sitePaths.signIn}?next=${part(backTo)}`;
}
