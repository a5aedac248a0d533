export { type ExportSection, exportSections, type OpenThingKind, openOrders, openThings } from './accounts/closing/schema.ts';
export { type ConnectionEventData, type ConnectionEventType, connectionEvents } from './accounts/connections/events.ts';
export { connectionLimits } from './accounts/connections/limits.ts';
export { isScope, type Scope, scopeNames, scopes } from './accounts/connections/scopes.ts';
export {
  type ActionMessage,
  type ActionSubject,
  actionMessageText,
  readActionMessage,
  readRequestId,
  requestIdOf,
} from './accounts/identity/action-message.ts';
export { type SignedAction, signedActions, username } from './accounts/identity/schema.ts';
export { canonicalJson, custodySignedText, ordinarySignedText, signatureFields, siteSignedText } from './accounts/identity/signed-text.ts';
export { type MoveEventData, type MoveEventType, moveEvents } from './accounts/moves/events.ts';
export { moveLimits } from './accounts/moves/limits.ts';
export { type MoveKind, type MoveReason, type MoveState, moveKinds, moveReasons } from './accounts/moves/schema.ts';
export { formatUnits, type MovementStatus, parseUnits, type WalletAction, type WalletActor } from './agent-wallets/schema.ts';
export { WEBHOOKS_AT_HOME } from './agents/errors.ts';
export { featuredProblems, featuredRules } from './agents/featured.ts';
export { protocolSpec } from './agents/protocol-spec.ts';
export { ANSWERING_MINUTES, categories, updateAgentBody } from './agents/schema.ts';
export { conditions } from './authority/condition-words.ts';
export { isByOperation, permits, powerOf, type SignatureTier, signatureTierOf, walletProofsOf } from './authority/permits.ts';
export { powers } from './authority/power-words.ts';
export { type Power, powerNames } from './authority/powers.ts';
export { type Proof, proofNames, proofs, type WalletProof, walletProofs } from './authority/proofs.ts';
export { type Cell, type Condition, cellOf } from './authority/table.ts';
export { type BountyEventData, type BountyEventType, bountyEvents } from './bounties/events.ts';
export { FEED_ITEMS, type JsonFeed } from './bounties/feed.ts';
export {
  type BountyCommand,
  type BountyFacts,
  type BountyRole,
  bountyCommands,
  bountyLifecycle,
  bountyStatusOf,
  type ClaimCommand,
  claimLifecycle,
  claimStatusAt,
  decideBounty,
  decideClaim,
  type HeldClaim,
  openClaimStatuses,
} from './bounties/lifecycle.ts';
export {
  bountyDeadlineHours,
  bountyEnd,
  bountyLimits,
  claimWindowEnd,
  claimWindowHours,
  heldWindowEnd,
  leastStakeProblem,
  mostStakeMicros,
  winnerPaidBy,
} from './bounties/limits.ts';
export { decideStake, type StakeEnd, type StakeStatus, stakeStatuses } from './bounties/stakes.ts';
export { type BountyMode, type BountyStatus, bountyModes, bountyStatuses, type ClaimStatus, claimStatuses } from './bounties/statuses.ts';
export {
  type Access,
  type CredentialKind,
  commonErrors,
  endpointOf,
  type HttpMethod,
  headerOf,
  ignoresUnknownQuery,
  isPaidCall,
  isPayingCall,
  keepsAnswers,
  mayPay,
  type OperationAnswer,
  type OperationArguments,
  type OperationCall,
  type OperationSpec,
} from './define-operation.ts';
export { SEARCH_MATCHED, type SearchMatched, searchMatched } from './discovery/saved-searches/events.ts';
export { savedSearchLimits } from './discovery/saved-searches/limits.ts';
export { type SavedSearchList, savedSearchFilters, savedSearchLists } from './discovery/saved-searches/schema.ts';
export {
  facetNames,
  MOST_COUNTED,
  MOST_RANKED_OF_MORE,
  type SearchFacet,
  type SearchFilters,
  searchFacets,
  searchPrices,
  searchWeights,
} from './discovery/search/facets.ts';
export { type EarnEventData, type EarnEventType, earnEvents } from './earn/events.ts';
export { type Harvest, harvestFrom, leftOf, recogniseHarvest, shrinkHarvests, vest } from './earn/harvests.ts';
export {
  decideDeposit,
  decideWithdrawal,
  type EarnDepositCommand,
  type EarnDepositStatus,
  type EarnRole,
  type EarnWithdrawalCommand,
  type EarnWithdrawalStatus,
  earnDepositLifecycle,
  earnDepositStatuses,
  earnWithdrawalLifecycle,
  earnWithdrawalStatuses,
  openWithdrawalStatuses,
} from './earn/lifecycle.ts';
export { type EarnPeriod, earnLimits, earnPeriodNames, earnPeriods, withSlippage } from './earn/limits.ts';
export { planRound, type Redemption, type Waiting } from './earn/redeem-round.ts';
export {
  type Book,
  burn,
  closedReason,
  dropRest,
  heldBy,
  isFresh,
  isTooCoarse,
  mint,
  partOf,
  principalOf,
  type QueuedUnits,
  type Spread,
  sharesFor,
  spreadLoss,
  takePart,
  unitsFor,
  unitsOfOneShare,
  withoutUnheld,
} from './earn/share-book.ts';
export {
  depositSentence,
  type EarnStrategy,
  earnProducts,
  earnStrategies,
  type NotDepositableReason,
  notDepositableReasons,
  queuedNote,
  withdrawalSentence,
} from './earn/words.ts';
export { type ErrorCode, errorCatalogue } from './errors.ts';
export { statusOfKind } from './kernel/errors.ts';
export { groupBy } from './kernel/group-by.ts';
export type {
  AgentId,
  BountyClaimId,
  BountyId,
  BudgetId,
  ConnectionId,
  DeliverableId,
  DisputeId,
  MessageId,
  MoveId,
  NotificationId,
  OrderId,
  ReviewId,
  SavedSearchId,
  ServiceId,
  SpendApprovalId,
  SpendingId,
  StatementId,
  UploadId,
  WalletLinkId,
} from './kernel/ids.ts';
export { feeOf, formatSixUsd, formatUsd, parseUsd, splitPrice, splitRest, withFeeOnTop } from './kernel/money.ts';
export {
  type NetworkFacts,
  type NetworkKind,
  type NetworkName,
  type NetworkSetting,
  namedOnlyNetworks,
  networkFacts,
  networkNames,
  networkOfChain,
  type OpenNetworkSetting,
  type PaymentChain,
  payoutNetworks,
  usualNetwork,
  walletChainOf,
} from './kernel/networks.ts';
export type { NextAction } from './kernel/next-action.ts';
export { furtherRateLimits, ownerRateLimits, type RateLimit, rateLimitTable } from './kernel/rate-limits.ts';
export { kebabCase, nearestOf } from './kernel/spelling.ts';
export {
  MARKED_TEXT_NOTE,
  NOTE_KEY,
  textMarker,
  type UntrustedText,
  untrustedTextIn,
} from './kernel/untrusted-text.ts';
export { chainOfAddress, type WalletChain } from './kernel/wallets.ts';
export { toFlag, toWireTime } from './kernel/wire.ts';
export { MarketError } from './market-error.ts';
export { instructionsFor } from './mcp/instructions.ts';
export { type ProgressChannel, withProgress } from './mcp/progress.ts';
export { promptList, unknownPrompt, writePrompt } from './mcp/prompts.ts';
export type { Tool, ToolAnnotations, ToolCall, ToolContent, ToolDefinition, ToolResult, WalletProofArguments } from './mcp/tool.ts';
export { toolList, toolNamed, unknownTool } from './mcp/tool-list.ts';
export { untrustedTextOf } from './mcp/tool-output.ts';
export { challengeResult, errorResult, type ToolRefusal } from './mcp/tool-result.ts';
export {
  type BountySubject,
  nextActionsOnClaim,
  nextClaimActions,
  nextClaimantActions,
  nextPosterActions,
} from './next-actions/bounty-actions.ts';
export { nextOrderActions } from './next-actions/order-actions.ts';
export { orderCalls } from './next-actions/order-calls.ts';
export { buildOpenApi, type OpenApiOptions } from './openapi/build-openapi.ts';
export { type CredentialGuide, credentialGuides, signatureNotes, signatureTierGuides } from './openapi/credentials.ts';
export type { AnswerField, FieldReference } from './openapi/describe-fields.ts';
export { describeLimit, describeOperation, type OperationReference } from './openapi/describe-operation.ts';
export type { OpenApiDocument, OpenApiHeader, OpenApiOperation, OpenApiParameter, OpenApiResponse } from './openapi/document.ts';
export type { JsonSchema } from './openapi/json-schema.ts';
export { type ErrorReference, listErrors } from './openapi/operation-errors.ts';
export { operationsOf } from './openapi/operations-of.ts';
export {
  type NamedOperation,
  type OperationName,
  type OperationOf,
  type Operations,
  operationList,
  operations,
} from './operations.ts';
export { sidesOfOrderCall } from './orders/call-sides.ts';
export { contestSentence, takenBackHint, withheldHint } from './orders/contest-words.ts';
export {
  deliveryDeadlines,
  disputeDeadlines,
  instantPayoutRule,
  isWorkspace,
  ORDER_TOKEN_END,
  orderDurations,
  orderTokenEnd,
  prolongedReview,
  type RestoredEnds,
  restoredEnds,
  reviewDeadline,
  revisionDeadline,
  workspaceEnd,
} from './orders/durations.ts';
export { type OrderEventData, type OrderEventType, orderEvents } from './orders/events.ts';
export { describeMachinePayout, INSTANT_PAYOUT_RULE, settlementOfHires } from './orders/instant-payout.ts';
export {
  type ActionOffer,
  decide,
  FOUND_RELEASED,
  firstStatus,
  mayEverCommand,
  messagingStatuses,
  moneyOfStep,
  type OrderCommand,
  type OrderRole,
  offeredActions,
  orderCommands,
  orderLifecycle,
  orderRoles,
  type StepMoney,
} from './orders/lifecycle.ts';
export { isWorkspaceOver, type LifecycleFacts } from './orders/lifecycle-guards.ts';
export { type OrderStatus, orderStatuses } from './orders/statuses.ts';
export { endpointAnswer, WORKSPACE_CALL, workspaceCall } from './orders/workspaces/schema.ts';
export {
  countedPart,
  orderWeight,
  reputationPeriod,
  reputationRules,
  reputationScore,
  type SettledOrder,
  weighOrders,
} from './reputation/score.ts';
export { recountReason, reputationPrices, trendingWeightRule, weightRule } from './reputation/words.ts';
export { checkRequirementAnswers, type RequirementField, type RequirementProblem } from './services/requirements.ts';
export { createServiceBody, priceType } from './services/schema.ts';
export {
  decideSpend,
  type HeldBudget,
  type HeldPolicy,
  noSpendPolicy,
  type SpendDecision,
  type Spending,
  type SpendObjection,
  type SpendPolicy,
  type SpendRule,
  type SpendSubject,
  type SpendSubjectKind,
  type SpentToday,
} from './spending/decide-spend.ts';
export { type SpendingEventData, type SpendingEventType, spendingEvents } from './spending/events.ts';
export { spendingLimits } from './spending/limits.ts';
export {
  creatorFeeMemoPrefix,
  creatorFeePercents,
  creatorFeeSplit,
  type FeeParts,
  type FeePath,
  feeBounds,
  feePathOf,
  splitCreatorFee,
} from './tokens/fees/split.ts';
export { type PricePeriod, pricePeriodNames, pricePeriods } from './tokens/price-periods.ts';
export { descriptionBounds, type TokenMode, tokenBounds } from './tokens/schema.ts';
export { PING_EVENT, webhookEvents } from './webhooks/events.ts';
export {
  isWebhookSigned,
  parseWebhookSignature,
  requireWebhookSecret,
  webhookSignature,
  webhookSignedText,
  writeWebhookSignature,
} from './webhooks/signature.ts';
export type { PaymentSurplus, PayoutOutlook } from './x402/schema.ts';
