// gRPC to agents (A2A) ends here. The ingress translates each call to the JSON-RPC request it stands for and
// handles that like any other request, so that admission, limits, runs and receipts are the same. Agents
// serve HTTP/1 only.
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { AgentCard, type StreamResponse } from '@a2a-js/sdk';
import { JsonRpcTransportFactory, type Transport } from '@a2a-js/sdk/client';
import { LegacyA2AService, legacyGrpcService } from '@a2a-js/sdk/compat/v0_3/server/grpc';
import { A2AError } from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { A2AService, grpcService, UserBuilder } from '@a2a-js/sdk/server/grpc';
// The protocol's own server library, which the official package's services are written for.
import { Server, ServerCredentials, status, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { MAX_VALUE_BYTES } from '#contract/wire/limits.ts';
import { readBounded, Unreadable } from './grpc-read.ts';
import { RefusedByHttp, requestWithin, type Connect, type GrpcCall } from './grpc-request.ts';

/** As much as a call's arguments may be over HTTP. */
const OPTIONS = {
  'grpc.max_receive_message_length': MAX_VALUE_BYTES,
  'grpc.max_send_message_length': 64 * 1024 * 1024,
  'grpc.max_concurrent_streams': 100,
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 20_000,
  'grpc.max_connection_idle_ms': 300_000,
};

export interface GrpcSurface {
  /** Takes a connection whose first bytes are HTTP/2's. */
  take(socket: Socket): void;
  /** Calls under way may end within this time. */
  close(graceMs: number): void;
}

export function createGrpc(connect: Connect): GrpcSurface {
  const current = new AsyncLocalStorage<GrpcCall>();
  const requestHandler = bridge(current, connect);
  const server = new Server(OPTIONS);
  const options = { requestHandler, userBuilder: UserBuilder.noAuthentication };
  server.addService(readBounded(A2AService), within(current, grpcService(options)));
  server.addService(readBounded(LegacyA2AService), within(current, legacyGrpcService(options)));
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  return {
    take: (socket) => injector.injectConnection(socket),
    close: (graceMs) => {
      injector.drain(graceMs);
      setTimeout(() => (injector.destroy(), server.forceShutdown()), graceMs).unref();
    },
  };
}

type Method = (call: GrpcCall, callback?: (error: unknown, value: unknown) => void) => void;

/** The package maps what it knows; a refusal by HTTP keeps its meaning. */
function within(current: AsyncLocalStorage<GrpcCall>, service: UntypedServiceImplementation): UntypedServiceImplementation {
  const entries = Object.entries(service).map(([name, implementation]) => {
    const method = implementation as Method; // a unary call, or a stream from the server
    const wrapped: Method = (call, callback) => {
      if (call.request instanceof Unreadable) {
        const unread = { code: status.INVALID_ARGUMENT, details: call.request.message };
        return callback ? callback(unread, null) : void call.emit('error', unread);
      }
      const refusal = (error: unknown): unknown => (call.refused ? { code: call.refused.grpcStatus, details: call.refused.message } : error);
      if (callback) return current.run(call, () => method(call, (error, value) => callback(error && refusal(error), value)));
      const emit = call.emit.bind(call);
      call.emit = (event, ...rest) => (event === 'error' ? emit(event, refusal(rest[0])) : emit(event, ...rest));
      return current.run(call, () => method(call));
    };
    return [name, wrapped];
  });
  return Object.fromEntries(entries) as UntypedServiceImplementation;
}

// Only its versions are read: the agent's own address serves its card.
const card = AgentCard.fromJSON({ supportedInterfaces: ['1.0', '0.3'].map((protocolVersion) => ({ protocolBinding: 'GRPC', protocolVersion })) });

/**
 * The protocol's operations, each by the official client's JSON-RPC, for the caller of the gRPC call under
 * way.
 */
function bridge(current: AsyncLocalStorage<GrpcCall>, connect: Connect): A2ARequestHandler {
  async function to<T>(operation: (transport: Transport, options: { signal: AbortSignal }) => Promise<T>): Promise<T> {
    const { transport, signal } = await begin();
    return await operation(transport, { signal }).catch(rethrow);
  }

  async function* stream(
    operation: (transport: Transport, options: { signal: AbortSignal }) => AsyncGenerator<StreamResponse, void, undefined>,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const { call, transport, signal } = await begin();
    try {
      for await (const item of operation(transport, { signal })) {
        yield item;
        // A reader that does not read holds the agent's stream back, not our memory.
        if (call.writableNeedDrain === true) await once(call, 'drain', { signal });
      }
    } catch (error) {
      rethrow(error);
    }
  }

  async function begin(): Promise<{ call: GrpcCall; transport: Transport; signal: AbortSignal }> {
    const call = current.getStore();
    if (!call) throw new Error('no gRPC call is under way');
    const gone = new AbortController();
    call.once('cancelled', () => gone.abort());
    if (call.cancelled) gone.abort();
    const transport = await new JsonRpcTransportFactory({ fetchImpl: requestWithin(connect, call) }).create('http://agent/a2a', card);
    return { call, signal: gone.signal, transport };
  }

  function rethrow(error: unknown): never {
    const call = current.getStore();
    if (call && error instanceof RefusedByHttp) call.refused = error;
    else if (call && !(error instanceof A2AError)) call.refused = new RefusedByHttp(status.UNAVAILABLE, 'the agent could not be heard to the end');
    throw error;
  }

  return {
    getAgentCard: () => Promise.resolve(card),
    getAuthenticatedExtendedAgentCard: (params) => to((agent, options) => agent.getExtendedAgentCard(params, options)),
    sendMessage: (params) => to((agent, options) => agent.sendMessage(params, options)),
    sendMessageStream: (params) => stream((agent, options) => agent.sendMessageStream(params, options)),
    getTask: (params) => to((agent, options) => agent.getTask(params, options)),
    listTasks: (params) => to((agent, options) => agent.listTasks(params, options)),
    cancelTask: (params) => to((agent, options) => agent.cancelTask(params, options)),
    resubscribe: (params) => stream((agent, options) => agent.resubscribeTask(params, options)),
    createTaskPushNotificationConfig: (params) => to((agent, options) => agent.createTaskPushNotificationConfig(params, options)),
    getTaskPushNotificationConfig: (params) => to((agent, options) => agent.getTaskPushNotificationConfig(params, options)),
    listTaskPushNotificationConfigs: (params) => to((agent, options) => agent.listTaskPushNotificationConfig(params, options)),
    deleteTaskPushNotificationConfig: (params) => to((agent, options) => agent.deleteTaskPushNotificationConfig(params, options)),
  };
}
