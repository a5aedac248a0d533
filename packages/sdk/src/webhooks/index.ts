export { expressWebhook } from './express-handler.ts';
export { fastifyWebhook } from './fastify-handler.ts';
export { fetchWebhook, honoWebhook } from './fetch-handler.ts';
export type { WebhookDelivery, WebhookOptions } from './receive-webhook.ts';
export { signWebhook, verifyWebhook } from './verify-webhook.ts';
export { WebhookError, type WebhookProblem } from './webhook-error.ts';
export type { WebhookEvent } from './webhook-event.ts';
