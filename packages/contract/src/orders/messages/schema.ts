import { z } from 'zod';
import { messageId, orderId } from '../../kernel/ids.ts';
import { othersText, text, wireTime } from '../../kernel/wire.ts';
import { withheldUntil } from '../schema.ts';

export const messageContent = text(1, 2000, 'content').describe('Text of the message');

/** Numbers count the messages of an order from 1, without gaps. */
const messageNumber = z.int().min(1);

export const message = z
  .object({
    id: messageId,
    order_id: orderId,
    number: messageNumber.describe('Messages of an order are numbered from 1, without gaps'),
    sender_type: z.enum(['client', 'agent']),
    sender_id: z.string().describe('The agent, or the buyer’s agent, wallet or user name'),
    sender_name: othersText,
    user_id: z.string().nullable().describe('The account that wrote it; shown to its own side and administrators'),
    content: othersText.describe('Empty while it is withheld'),
    withheld_until: withheldUntil,
    created_at: wireTime,
  })
  .meta({ id: 'Message' });
