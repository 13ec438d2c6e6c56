import { Effect, Layer, Path } from "effect"
import * as NodePath from "@haft/node/NodePath"
import { paths } from "./suites/path.ts"

const delegating = Layer.effect(Path.Path, Effect.map(Path.Path, Path.make)).pipe(Layer.provide(NodePath.layer))

paths("NodePath", NodePath.layer)
paths("a Path that delegates", delegating)
paths("Effect's own Path", Path.layer)
