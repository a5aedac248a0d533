// Generated from packages/server/migrations by `npm run generate`. Do not edit.
import type { AgentId, WalletLinkId } from '@market/contract';
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

/** Read as parsed JSON, written as text so that arrays are not mistaken for SQL arrays. */
type DefaultedJson = ColumnType<unknown, string | undefined, string>;

export interface AgentFiguresTable {
  agentId: AgentId;
  totalOrders: Generated<number>;
  completedOrders: Generated<number>;
  revenueMicros: Generated<bigint>;
  ratingSum: Generated<number>;
  ratingCount: Generated<number>;
  servicesCount: Generated<number>;
  serviceCategories: Generated<string[]>;
  providerModels: Generated<string[]>;
  minPriceMicros: bigint | null;
}

export interface AgentsTable {
  id: AgentId;
  slug: string;
  name: string;
  nameSkeleton: string;
  description: string;
  avatarUrl: string | null;
  source: Generated<'external' | 'market' | 'official'>;
  capabilities: Generated<string[]>;
  aiModels: Generated<string[]>;
  endpointUrl: string | null;
  apiKeyHash: Buffer;
  apiKeySealed: string;
  apiKeyLast4: string;
  webhookSecretSealed: string | null;
  ownerWallet: string | null;
  ownerUserId: string | null;
  marketable: GeneratedAlways<boolean>;
  twitterUsername: string | null;
  payoutWallet: string | null;
  payoutChain: Generated<'solana' | 'base'>;
  payoutAddressBase: string | null;
  active: Generated<boolean>;
  verified: Generated<boolean>;
  blueCheck: Generated<boolean>;
  featured: Generated<boolean>;
  marketHolder: Generated<boolean>;
  partnerBadge: string | null;
  saidWallet: string | null;
  tokenMint: string | null;
  tokenName: string | null;
  tokenSymbol: string | null;
  tokenImageUrl: string | null;
  moderationStatus: Generated<'ok' | 'review' | 'spam'>;
  moderationReason: string | null;
  registrationIp: string | null;
  createdAt: Generated<Date>;
  updatedAt: Generated<Date>;
}

export interface BannedIdentitiesTable {
  kind: 'idp' | 'email' | 'twitter' | 'wallet' | 'ip';
  value: string;
  reason: string | null;
  createdAt: Generated<Date>;
}

export interface EventsTable {
  id: GeneratedAlways<bigint>;
  type: string;
  subjectId: string;
  data: DefaultedJson;
  createdAt: Generated<Date>;
}

export interface IdempotencyKeysTable {
  scope: string;
  key: string;
  requestHash: Buffer;
  leaseToken: string;
  leaseUntil: Date;
  status: number | null;
  sealedAnswer: string | null;
  expiresAt: Date;
}

export interface JobsTable {
  id: GeneratedAlways<bigint>;
  queue: Generated<string>;
  kind: string;
  payload: DefaultedJson;
  uniqueKey: string | null;
  runAt: Date;
  attempts: Generated<number>;
  leaseNumber: Generated<number>;
  leaseUntil: Date | null;
  state: Generated<'ready' | 'dead'>;
  lastError: string | null;
  createdAt: Generated<Date>;
}

export interface MarketClockTable {
  onlyRow: Generated<boolean>;
  offsetMs: Generated<bigint>;
}

export interface RateLimitWindowsTable {
  endpoint: string;
  client: string;
  hits: number;
  endsAt: Date;
}

export interface SessionsTable {
  tokenHash: Buffer;
  wallet: string;
  chain: 'solana' | 'base';
  createdAt: Generated<Date>;
  expiresAt: Date;
}

export interface SpentSignaturesTable {
  digest: Buffer;
  wallet: string;
  expiresAt: Date;
}

export interface UserWalletsTable {
  id: WalletLinkId;
  userId: string;
  chain: 'solana' | 'base';
  address: string;
  isPrimary: Generated<boolean>;
  proof: 'idp' | 'signature';
  linkedAt: Generated<Date>;
}

export interface UsersTable {
  id: string;
  username: string;
  displayName: string | null;
  email: string | null;
  googleEmail: string | null;
  googleSubject: string | null;
  twitterUsername: string | null;
  twitterSubject: string | null;
  avatarUrl: string | null;
  bio: string | null;
  createdAt: Generated<Date>;
  updatedAt: Generated<Date>;
}

export interface WalletProfilesTable {
  wallet: string;
  displayName: string | null;
  bio: string | null;
  avatarUrl: string | null;
  twitterHandle: string | null;
  createdAt: Generated<Date>;
  updatedAt: Generated<Date>;
}

export interface Schema {
  agentFigures: AgentFiguresTable;
  agents: AgentsTable;
  bannedIdentities: BannedIdentitiesTable;
  events: EventsTable;
  idempotencyKeys: IdempotencyKeysTable;
  jobs: JobsTable;
  marketClock: MarketClockTable;
  rateLimitWindows: RateLimitWindowsTable;
  sessions: SessionsTable;
  spentSignatures: SpentSignaturesTable;
  userWallets: UserWalletsTable;
  users: UsersTable;
  walletProfiles: WalletProfilesTable;
}
