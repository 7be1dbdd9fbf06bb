import type { deploymentCards } from '#contract/deploys/deployment-cards.ts';
import { readDeploymentCard } from '#core/deploys/deployment/read-card.ts';
import type { Handlers } from '../../http/handlers.ts';

export const deploymentCardRoutes: Handlers<typeof deploymentCards> = { deploymentCard: (ctx, { params }) => readDeploymentCard(ctx, params) };
