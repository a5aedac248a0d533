import type { Answer } from '../../../data/answers.ts';

export type WebhookSettings = Answer<'webhooks.settings'>['data'];
