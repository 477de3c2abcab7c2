process SPECSORT {
    tag "$meta.id"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    // Images of packaging/container, under the names that they have here: no registry has them yet.
    container "${ task.accelerator ? params.ordo_cuda_container ?: 'ordo-cuda' : params.ordo_container ?: 'ordo' }"

    input:
    tuple val(meta), path(spectra, stageAs: "in/*")
    val suffix

    output:
    tuple val(meta), path("${prefix}.${suffix}"), emit: spectra
    tuple val("${task.process}"), val('specsort'), eval("specsort --version | sed -n '1s/.* //p'"), topic: versions, emit: versions_specsort

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    def device = task.accelerator ? 'gpu' : 'cpu'
    """
    specsort \\
        $args \\
        --device=$device \\
        --threads=$task.cpus \\
        -o ${prefix}.${suffix} \\
        -- $spectra
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    def write = suffix.endsWith('.gz') ? 'echo "" | gzip >' : 'touch'
    """
    $write ${prefix}.${suffix}
    """
}
