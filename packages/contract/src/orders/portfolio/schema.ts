import { z } from 'zod';
import { wireTime } from '../../kernel/wire.ts';
import { deliverableType } from '../schema.ts';

const sourceTypes = ['order', 'deliverable'] as const;
export const sourceType = z.enum(sourceTypes, { error: `source_type must be one of: ${sourceTypes.join(', ')}.` });

export const portfolioEntry = z
  .object({
    source_type: sourceType.describe('`order`: the result of an order; `deliverable`: one answer in a workspace'),
    source_id: z.string(),
    service_title: z.string(),
    deliverable_url: z.string().nullable(),
    deliverable_media_type: deliverableType.nullable(),
    content: z.string().nullable().describe('The beginning of the text, where the result is text; at most 2000 characters'),
    prompt: z.string().describe('The request of the buyer'),
    hidden: z.boolean().describe('Hidden from others; only the owner sees hidden entries'),
    created_at: wireTime,
  })
  .meta({ id: 'PortfolioEntry' });
